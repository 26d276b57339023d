/** What came of one request. */
export interface AttemptResult {
  /** Null where no answer came. */
  readonly status: number | null;
  /** Null where the message arrived. */
  readonly error: AttemptError | null;
  /** How long the receiver wants to be left alone. */
  readonly retryAfterMs?: number;
}

/** Why a message did not arrive: a word for listings and logs. */
export type AttemptError =
  /** Its status is none of 2xx. */
  | 'answer'
  /** Redirects are not followed. */
  | 'redirect'
  /** 410. */
  | 'gone'
  | 'timeout'
  /** Refused, reset, no such name, a certificate that nobody trusts. */
  | 'unreachable'
  /** The name leads to an address that is not allowed. */
  | 'address'
  /** A variable holds no secret, or no token. */
  | 'secret'
  /** The body is larger than 20 kB. */
  | 'size';

/** Statuses of what stands before a receiver: they say nothing about the message. */
export const unreachableStatuses: readonly number[] = [429, 502, 503, 504];

/** Whether the message itself may be why. */
export function mayBeTheMessage({ status, error }: Pick<AttemptResult, 'status' | 'error'>): boolean {
  if (status !== null) return !unreachableStatuses.includes(status);
  return error === 'timeout' || error === 'size';
}

const faults: Partial<Readonly<Record<AttemptError, string>>> = {
  redirect: 'answers with a redirect',
  timeout: 'takes too long to answer',
  unreachable: 'does not answer',
  address: 'has an address that may not be reached',
};

/** Statuses of somebody who is not the receiver, or does not know us; others below 500 may be about the message. */
const unknownStatuses: readonly number[] = [401, 403, 404];

/** What a receiver does that fails; undefined for what lies with the message, with us, or is no failure. */
export function faultOf({ status, error }: AttemptResult): string | undefined {
  if (error === null) return undefined;
  if (error !== 'answer') return faults[error];
  return status !== null && (status >= 500 || unknownStatuses.includes(status))
    ? `answers ${status}`
    : undefined;
}
