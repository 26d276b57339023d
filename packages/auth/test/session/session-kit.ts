import {
  type AuthenticateOptions,
  apiKey,
  type CredentialDeclaration,
  createAuthenticate,
  jwt,
} from '@waymark/auth';
import type { Credentials, OpenedSession, Sessions } from '@waymark/contract/principal';
import { environment, operatorSecret, readerSecret } from '../declare.ts';
import { jwtSecret, nowSecs, rsa } from '../tokens.ts';

/** The variables of these tests. */
export const variables = {
  OPERATOR_KEY: operatorSecret,
  READER_KEY: readerSecret,
  JWT_SECRET: jwtSecret,
  JWT_PUBLIC: rsa.publicPem,
};

/** Two keys, and the tokens of two issuers. */
export const declared: readonly CredentialDeclaration[] = [
  apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'tickets:read'] }),
  apiKey('READER_KEY', 'reader', { scopes: ['tickets:read'], bearer: true }),
  jwt('JWT_SECRET', { subjectPrefix: '' }),
  jwt('JWT_PUBLIC', { algorithm: 'RS256', issuer: 'the-issuer', subjectPrefix: '' }),
];

/** What a process that is started anew has. */
export interface Started {
  readonly declarations?: readonly CredentialDeclaration[];
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: AuthenticateOptions;
}

/** The sessions of one process, whose clock stands still unless it is told otherwise. */
export function start({ declarations = declared, env = variables, options = {} }: Started = {}): Sessions {
  const { sessions } = createAuthenticate(declarations, environment(env), {
    now: () => nowSecs * 1000,
    application: 'desk',
    ...options,
  });
  if (!sessions) throw new Error('no authentication is configured');
  return sessions;
}

/** A clock that a test sets, in seconds from the beginning. */
export function clock(): { secs: number; readonly now: () => number } {
  const time = { secs: 0, now: () => (nowSecs + time.secs) * 1000 };
  return time;
}

export const withKey = (secret: string): Credentials => ({ headers: { 'x-api-key': secret } });
export const withToken = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` } });

/** Opens one that is known to be good. */
export async function opened(sessions: Sessions, credentials: Credentials): Promise<OpenedSession> {
  const session = await sessions.open(credentials);
  if (!session.ok) throw session.error;
  return session;
}

/** The status and text of a refusal. */
export async function refusal(sessions: Sessions, credentials: Credentials): Promise<readonly unknown[]> {
  const session = await sessions.open(credentials);
  return session.ok ? [] : [session.error.status, session.error.message];
}

/** Who a session lets in. */
export function holderOf(sessions: Sessions, { value }: OpenedSession): string | undefined {
  return sessions.read(value)?.principal.id;
}
