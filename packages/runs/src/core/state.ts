import type { Delivery } from './delivery.ts';

/** The standing of a leg. */
export type LegPhase =
  | 'working'
  /** The process is about to end: what is under way may go on, nothing new is begun. */
  | 'draining'
  /** The code of the root has ended; that is being written. */
  | 'ending'
  /** The root fails, whatever runs; that is being written, and nothing else counts any more. */
  | 'failing'
  /** It writes nothing and answers nobody. */
  | 'over';

/** The standing of a run in its leg. */
export type FramePhase =
  | 'working'
  /** The code has ended. What acts on the world is waited for, nothing new can be asked for. */
  | 'closed'
  /** What happens in it does not count any more. */
  | 'over';

/** The standing of a step in its leg. */
export type OpPhase =
  /** It was stored before, and waits to be given to the code again. */
  | 'recorded'
  /** Waits until the values that it may depend on are stored. */
  | 'early'
  /** It is being done, or what came of it is being stored. */
  | 'active'
  /** Waits for a human, for the steps before it, or to be tried again. */
  | 'held'
  /** Is done once more in a moment, if the process is not about to end. */
  | 'paused'
  /** It is what the run below it is; when that has ended, as if active. */
  | 'nested'
  /** Not begun, or not done once more, since the process is about to end: another one will do it. */
  | 'left'
  /** What came of it is stored, and waits to be given to the code. */
  | 'stored'
  | 'settled';

/** One execution of a root, with everything below it. The core alone changes these states. */
export interface LegState {
  phase: LegPhase;
  /** The frame of the root; undefined until it begins. */
  root: FrameState | undefined;
  /** A look at it is due in the next turn of the event loop. */
  looks: boolean;
  /** Failures of runs below were undone: the root is to be run again. */
  redoes: boolean;
}

/** One run in a leg. */
export interface FrameState {
  /** The greatest number of a step that was recorded before the leg; -1: none. */
  readonly lastRecorded: number;
  /** Asked for and not delivered, in that order. */
  readonly ops: Set<OpState>;
  readonly delivery: Delivery<OpState>;
  phase: FramePhase;
  /** The number of the step that is asked for next. */
  nextSeq: number;
  /** Whether its code has values that no commit took yet. */
  hasValues: boolean;
  /** Commits under way that took values. */
  storing: number;
  /** A delivery is due in the next turn of the event loop. */
  delivers: boolean;
}

/** One step of a run in a leg. */
export interface OpState {
  readonly frame: FrameState;
  readonly seq: number;
  /** It acts on the world: it is waited for when the code has ended. The others can be done again. */
  readonly acts: boolean;
  phase: OpPhase;
  /** The run that it is; of a step that is nested. */
  child: FrameState | undefined;
}

/** Whether its root has not come to an end. */
export function goesOn({ phase }: Pick<LegState, 'phase'>): boolean {
  return phase === 'working' || phase === 'draining';
}

/** Whether nothing that happens in its frames counts any more. */
export function isDropped({ phase }: Pick<LegState, 'phase'>): boolean {
  return phase === 'failing' || phase === 'over';
}
