import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from '../wire-format.ts';

const secret = new Set(['authorization', 'x-api-key', 'cookie', 'proxy-authorization']);

/** The key that came with a request. */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const header = headers['x-api-key'];
  const apiKey = typeof header === 'string' && header !== '' ? header : undefined;
  if (bearer !== undefined) return { form: apiKey === undefined ? 'bearer' : 'both', key: bearer };
  return apiKey === undefined ? { form: 'none', key: '' } : { form: 'x-api-key', key: apiKey };
}

/** The headers of a request without what is secret in them. */
export function withoutSecrets(headers: IncomingHttpHeaders): Record<string, string> {
  const shown = Object.entries(headers).filter(([name, value]) => value !== undefined && !secret.has(name));
  return Object.fromEntries(shown.map(([name, value]) => [name, String(value)]));
}
