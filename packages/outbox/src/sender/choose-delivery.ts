import type { DeliveryChoice, DeliveryLine } from '@waymark/contract/stores';
import { type AttemptError, mayBeTheMessage } from './attempt-result.ts';
import { troubleAt } from './schedule.ts';

/**
 * Says which delivery of a line is sent now; undefined for none. In trouble it is a probe: the oldest, so that order is kept
 * over an outage; but where messages may be why, every second one is the message that was tried least, so that none of them
 * keeps the others.
 */
export function chooseDelivery(line: DeliveryLine, nowMs: number): DeliveryChoice | undefined {
  const { endpoint, waiting, stopped, failures, lastStatus: status, lastError } = line;
  if (stopped || waiting === 0 || isPaused(line, nowMs)) return undefined;
  if (failures < troubleAt) return { endpoint, by: 'due' };
  // The sender's own word: nobody else writes it.
  const error = lastError as AttemptError | null;
  const takesTurns = mayBeTheMessage({ status, error });
  return { endpoint, by: takesTurns && failures % 2 === 0 ? 'least-tried' : 'oldest' };
}

/** A pause that began in the future is none: the clock was set back since. */
function isPaused({ pausedUntilMs, lastAtMs }: DeliveryLine, nowMs: number): boolean {
  return pausedUntilMs !== null && pausedUntilMs > nowMs && (lastAtMs ?? 0) <= nowMs;
}
