import type { LimitInForce } from '@waymark/contract/declaring';
import { maxTokenLength } from './jwt/bearer-tokens.ts';
import { longestSessionMs } from './session/browser-sessions.ts';
import { maxSessionLength } from './session/session-text.ts';

/** Limits of credentials, for the security report. */
export const credentialLimits: readonly LimitInForce[] = [
  { name: 'token', value: maxTokenLength, unit: 'characters', note: 'a bearer token' },
  { name: 'sign_in', value: longestSessionMs / 1_000, unit: 's', note: 'the session of a browser' },
  { name: 'sign_in_cookie', value: maxSessionLength, unit: 'characters', note: 'with the scopes of a token' },
];
