import { createHmac } from 'node:crypto';
import { tokenSecret } from './agents-application.ts';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The header of somebody with a token that expires in about so many seconds. */
export function bearerOf(sub: string, scope: string, seconds: number): string {
  const exp = Math.ceil(Date.now() / 1000) + seconds;
  const head = `${encode({ alg: 'HS256' })}.${encode({ sub, exp, scope })}`;
  return `Bearer ${head}.${createHmac('sha256', tokenSecret).update(head).digest('base64url')}`;
}
