import type { RunError } from '@waymark/contract/stores';
import type { FrameState, OpState } from './state.ts';

/** The record at the number of a step; `begun`: that it was, and nothing came of it; `other`: another step. */
export type Found = 'nothing' | 'begun' | 'settled' | 'other';

/** One thing that happens to a leg. */
export type Event =
  /** A step was asked for; a value, which is given at once. */
  | { readonly on: 'asked' | 'value'; readonly op: OpState; readonly found: Found }
  /** The code was given a value that is not stored yet. */
  | { readonly on: 'valued'; readonly frame: FrameState }
  /** A commit took the values of a frame; it was stored. */
  | { readonly on: 'took' | 'kept'; readonly frame: FrameState }
  /** A step waits for a human, or for others; or a moment, to be done once more; it goes on. */
  | { readonly on: 'held' | 'paused' | 'resumed'; readonly op: OpState }
  /** What a run has failed with was undone, instead of ending it. @param op the step that it is; undefined: it is the root */
  | { readonly on: 'redone'; readonly op: OpState | undefined }
  | { readonly on: 'nested'; readonly op: OpState; readonly child: FrameState }
  /** A number was given in a transaction which is still open; it was undone. */
  | { readonly on: 'numbered' | 'undone'; readonly frame: FrameState; readonly ord: number }
  /** What came of a step was stored. */
  | { readonly on: 'stored'; readonly op: OpState; readonly ord: number }
  /** The turn of the event loop in which a delivery was due. */
  | { readonly on: 'turn'; readonly frame: FrameState }
  /** The turn of the event loop in which a look was due. */
  | { readonly on: 'look' }
  /** The code of a run came to its end. */
  | { readonly on: 'closed'; readonly frame: FrameState }
  /** The end of the root was stored. */
  | { readonly on: 'finished' }
  | { readonly on: 'failed'; readonly error: RunError }
  /** The process is about to end; it ends now; the service cannot work on the root. */
  | { readonly on: 'drained' | 'givenUp' | 'disturbed' }
  /** Somebody cancelled the root; the store says that it is not ours any more. */
  | { readonly on: 'cancelled' | 'lost' };

/** A reason for which a root fails, whatever runs in it. */
export type Failure =
  | { readonly why: 'error'; readonly error: RunError }
  /** A step is recorded as another one. */
  | { readonly why: 'differs'; readonly op: OpState }
  /** The code has ended, and did not ask for all that is recorded. */
  | { readonly why: 'forgot'; readonly frame: FrameState };

/**
 * The way a leg left its root. `again`: failures were undone, and it is to be run from its journal once more. `lost`:
 * cancelled, or somebody else's by now. `disturbed`: the service could not work on it, which is no reason for it to end.
 */
export type LegEnd = 'ended' | 'held' | 'again' | 'released' | 'disturbed' | 'lost';

/** One thing to be done about it. `frames` are those that are dropped by it, with what is under way in them. */
export type Command =
  | { readonly to: 'execute'; readonly op: OpState }
  /** Its code has ended: nothing can be asked for any more. */
  | { readonly to: 'refuse'; readonly op: OpState }
  | { readonly to: 'deliver'; readonly op: OpState }
  /** Commit the values of a frame. */
  | { readonly to: 'store'; readonly frame: FrameState }
  /** Report `turn`, or `look`, in the next turn of the event loop. */
  | { readonly to: 'turn'; readonly frame: FrameState }
  | { readonly to: 'look' }
  /** The run has come to its end, which is to be stored. */
  | { readonly to: 'finish'; readonly frame: FrameState; readonly frames: readonly FrameState[] }
  /** Store that the root fails. */
  | { readonly to: 'fail'; readonly failure: Failure; readonly frames: readonly FrameState[] }
  /** The last one. */
  | { readonly to: 'leave'; readonly end: LegEnd; readonly frames: readonly FrameState[] };
