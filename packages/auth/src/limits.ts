import type { LimitInForce } from '@waymark/contract/declaring';
import { maxTokenLength } from './jwt/bearer-tokens.ts';

/** Limits of credentials, for the security report. */
export const credentialLimits: readonly LimitInForce[] = [
  { name: 'token', value: maxTokenLength, unit: 'characters', note: 'a bearer token' },
];
