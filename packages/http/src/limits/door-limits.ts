import { HTTPError } from '@waymark/contract';
import { Budget, type BudgetSize, type UsedUp, withoutStack } from '@waymark/contract/engine';
import { tooManyRequests } from './rate-limit.ts';

/** What callers may hold of a door at a time. Numbers are whole, from 1. */
export interface DoorLimits {
  /**
   * Bytes of bodies that the requests of all callers may hold until they are answered, and their WebSockets of messages that
   * are not whole; default: 268,435,456 (256 MiB). Beyond it a request is 503, and a socket closed with 1013.
   */
  readonly bodyBytes?: number;
  /** The same for one principal, or one anonymous address; default: 67,108,864 (64 MiB). */
  readonly bodyBytesPerCaller?: number;
  /**
   * WebSockets and streams without an end that all callers may have open; default: 10,000. One more is 503. What one caller
   * may have is `maxSocketsPerCaller`.
   */
  readonly sockets?: number;
}

/** What holds where nothing else is said. */
export const defaultDoorLimits: Required<DoorLimits> = {
  bodyBytes: 256 * 1024 * 1024,
  bodyBytesPerCaller: 64 * 1024 * 1024,
  sockets: 10_000,
};

/** Makes the budget of the bytes in flight. */
export function bodyBudget(limits: DoorLimits = {}): Budget {
  const { bodyBytes: total, bodyBytesPerCaller: perCaller } = { ...defaultDoorLimits, ...limits };
  return new Budget({ perCaller, total });
}

/** The refusal of a body, or of a message, that there is no room for. */
export function noRoom(usedUp: UsedUp, { perCaller, total }: BudgetSize): HTTPError {
  const detail =
    usedUp === 'caller'
      ? `your requests in flight would hold more than ${perCaller} bytes: send this one when others are answered`
      : `the requests of all callers would hold more than ${total} bytes: send this one later`;
  return withoutStack(() => new HTTPError(503, detail, { headers: { 'retry-after': '1' } }));
}

/** The refusal of a socket or stream that there is no place for. */
export function noPlace(usedUp: UsedUp): HTTPError {
  if (usedUp === 'caller')
    return tooManyRequests('too many sockets and streams are open: close one of yours first', 1);
  return new HTTPError(503, 'too many sockets and streams are open: come back later', {
    headers: { 'retry-after': '1' },
  });
}
