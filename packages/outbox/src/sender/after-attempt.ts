import type {
  DeliveryAttempt,
  DeliveryLine,
  EndpointCondition,
  KeptDelivery,
} from '@waymark/contract/stores';
import type { AttemptResult } from './attempt-result.ts';
import { longestMs, probePauseMs, retryPauseMs, troubleAt } from './schedule.ts';

/** What is known when an attempt is over. */
export interface AttemptFacts {
  readonly delivery: Pick<KeptDelivery, 'attempts' | 'sinceMs'>;
  readonly line: Pick<DeliveryLine, 'failures'>;
  readonly result: AttemptResult;
  readonly nowMs: number;
  /** What waits since then, or longer, is given up. */
  readonly giveUpSinceMs: number;
  /** From 0, below 1. */
  readonly random: () => number;
}

/** What becomes of a delivery and of its endpoint. */
export interface Decided {
  readonly attempt: DeliveryAttempt;
  readonly condition: EndpointCondition;
  /** Others of the endpoint that wait: what could not be reached is due, what is too old is given up, or everything is. */
  readonly others: 'as-they-are' | 'release' | 'give-up-old' | 'give-up-all';
}

/** Decides by how an attempt went. Pure: the sender does what it says. */
export function afterAttempt(facts: AttemptFacts): Decided {
  const { result, nowMs, line } = facts;
  const { status, error } = result;
  const attempt = { atMs: nowMs, dueMs: nowMs, status, error };
  if (error === null)
    return {
      attempt: { ...attempt, state: 'delivered' },
      condition: { failures: 0, pausedUntilMs: null, stopped: false },
      others: line.failures > 0 ? 'release' : 'as-they-are',
    };
  if (error === 'gone')
    return {
      attempt: { ...attempt, state: 'failed' },
      condition: { failures: line.failures + 1, pausedUntilMs: null, stopped: true },
      others: 'give-up-all',
    };
  const condition = afterFailure(facts);
  const isOver = facts.delivery.sinceMs <= facts.giveUpSinceMs;
  return {
    attempt: { ...attempt, state: isOver ? 'failed' : 'waiting', dueMs: isOver ? nowMs : dueAgain(facts) },
    condition,
    // Behind a probe nobody else's turn comes, and their time goes by as well.
    others: condition.failures >= troubleAt ? 'give-up-old' : 'as-they-are',
  };
}

/** One delivery that fails again and again says nothing about its endpoint; several in a row do. */
function afterFailure({ delivery, line, result, nowMs, random }: AttemptFacts): EndpointCondition {
  const counts = delivery.attempts === 0 || line.failures >= troubleAt;
  const failures = line.failures + (counts ? 1 : 0);
  const pauseMs = Math.max(
    result.retryAfterMs ?? 0,
    failures >= troubleAt ? probePauseMs(failures, random()) : 0,
  );
  return { failures, pausedUntilMs: pauseMs > 0 ? nowMs + pauseMs : null, stopped: false };
}

/** By the schedule, not before the receiver wants it, and for the last time when its time is over. */
function dueAgain({ delivery, result, nowMs, random }: AttemptFacts): number {
  const pauseMs = Math.max(result.retryAfterMs ?? 0, retryPauseMs(delivery.attempts + 1, random()));
  const lastMs = Math.max(delivery.sinceMs + longestMs, nowMs + retryPauseMs(1, random()));
  return Math.min(nowMs + pauseMs, lastMs);
}
