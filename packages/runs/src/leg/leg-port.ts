import type { HostError } from '@waymark/contract/engine';
import type { GateRequest, WrittenPiece } from '@waymark/contract/runs';
import type { OpRecord, RunError } from '@waymark/contract/stores';
import type { TokenBudget } from '../budget/token-budget.ts';
import type { Event } from '../core/event.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { RunTree } from '../journal/run-tree.ts';
import type { Op } from './op.ts';
import type { Recorder } from './recorder.ts';
import type { Waits } from './waits.ts';

/** A leg, as the frames in it and their steps see it. */
export interface LegPort {
  readonly parts: EngineParts;
  readonly tree: RunTree;
  /** Monotonic. */
  readonly deadlineMs: number;
  readonly budget: TokenBudget;
  readonly recorder: Recorder;
  readonly waits: Waits;
  /** Something happened: what it means is decided, and done. */
  happen(event: Event): void;
  hold(op: Op): void;
  resume(op: Op): void;
  /** Waits before a step is done once more. When the process is about to end, the next one does it. */
  pause(op: Op, ms: number): Promise<void>;
  /** Asks a human about a step, together with all others of this turn of the event loop. */
  ask(op: Op, request: GateRequest, n: number): Promise<void>;
  write(runId: string, piece: WrittenPiece): void;
  onDrop(release: () => void): void;
  warnOfBudget(): void;
  /** The root fails, whatever runs; nobody in a frame can catch it. */
  fail(error: RunError): void;
  /** Something threw where nothing may, with nobody to catch it: the root fails, and the process goes on. */
  broke(error: unknown): void;
  /** The service cannot work on the root: nothing of that is recorded, and it is tried again later. */
  disturb(error: HostError): Promise<never>;
  /**
   * Undoes what a run failed with, if that was recorded before its root was retried: then it is asked for it again in the next
   * leg, which begins when nothing else can happen in this one.
   *
   * @param failures recorded ones that its code did not survive
   * @returns whether it did: the run has not ended
   */
  redo(runId: string, failures: readonly OpRecord[]): Promise<boolean>;
}
