import type { Trouble } from '@waymark/contract/engine';
import type { Taken } from '@waymark/contract/http';
import type { EndedSession } from '@waymark/contract/principal';
import type { AuditEvent } from '@waymark/contract/stores';
import type { ToOwner, ToWorker } from '@waymark/core-routes/forward';

/** No call has this number: other messages bear it. */
export const noCall = 0;

/** Answers that a worker gave: statuses and milliseconds in turn, -1 where those say nothing. */
export type Answered = readonly number[];

/** From a worker, besides what belongs to a call. */
export type FromWorker =
  | ToOwner
  | { readonly id: 0; readonly type: 'hello'; readonly secret: string; readonly index: number }
  | { readonly id: 0; readonly type: 'events'; readonly events: readonly AuditEvent[] }
  | {
      readonly id: 0;
      readonly type: 'collected';
      readonly round: number;
      readonly answered: Answered;
      readonly troubles: readonly Trouble[];
      readonly eventLoopP99Ms: number;
    }
  | { readonly id: 0; readonly type: 'answered'; readonly answered: Answered }
  | {
      readonly id: 0;
      readonly type: 'take';
      readonly ask: number;
      readonly limit: 'rate' | 'failures';
      readonly key: string;
      readonly cost: number;
    }
  /** A session that was ended is refused from now on. */
  | { readonly id: 0; readonly type: 'forgotten'; readonly round: number };

/** From the owner, besides what belongs to a call. */
export type FromOwner =
  | ToWorker
  /** What was counted is wanted, to the last answer. */
  | { readonly id: 0; readonly type: 'collect'; readonly round: number }
  | { readonly id: 0; readonly type: 'taken'; readonly ask: number; readonly taken: Taken }
  | {
      readonly id: 0;
      readonly type: 'forget';
      readonly round: number;
      readonly sessions: readonly EndedSession[];
    };
