import { type Authentication, challenge, HTTPError } from '@waymark/contract';

/** The answer to a credential that is not good: 401, and the same text whatever is wrong with it, unless it has ended. */
export function refusal(message = 'the credential is not valid'): Authentication {
  return { ok: false, error: new HTTPError(401, message, { headers: challenge }) };
}
