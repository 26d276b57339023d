import type { Json } from '@waymark/contract';
import type { RehearsedLook, ShownSight } from '@waymark/watchers';

/** How a watcher is rehearsed. */
export interface RehearsalOptions {
  /**
   * A model or an alias for the watcher's agent, or `simulator` for a stand-in on this machine, which knows nothing. Default:
   * what the agent declares, or the stand-in where that has no key.
   */
  readonly model?: string;
}

/** A call of a tool that the agent wanted, and nobody made. */
export interface WouldCall {
  readonly tool: string;
  readonly arguments: unknown;
  /** What it would have come to: `ask` asks a human, `refuse` for scopes that the run lacks. */
  readonly would: 'call' | 'ask' | 'refuse';
}

/** What a rehearsed watcher made of what it was shown. */
export type RehearsedRun = RehearsedLook & { readonly calls: readonly WouldCall[] };

/** A watcher that looks at what it is shown, and at no device: `Application.rehearse` makes it. */
export interface Rehearsal {
  readonly watcher: string;
  readonly device: string;
  readonly agent: string;
  /** Seconds between two looks. */
  readonly every: number;
  readonly maxRunsPerHour: number;
  /** USD; null: no limit. */
  readonly maxCostPerDay: number | null;
  /** The model that is asked: of a stand-in the one that it stands for. */
  readonly model: string;
  /** Whether a stand-in is asked. */
  readonly simulated: boolean;
  /** Contexts that were not read: the agent is told so in their place. */
  readonly unread: readonly string[];
  /** Looks at a picture before anybody is asked. @throws {HTTPError} the camera would not take it, and why */
  readFrame(bytes: Uint8Array): NonNullable<ShownSight['frame']>;
  /** Reads a reading as the device would keep it. @throws {HTTPError} 400 it would not */
  readReading(value: Json): Json;
  /** Looks once, one after the other. @param cancel ends the run */
  show(sight: ShownSight, cancel?: AbortSignal): Promise<RehearsedRun>;
  close(): Promise<void>;
}

/** No watcher or model has the name that a rehearsal was asked for. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError';
  /** The watchers there are, where it is the watcher that nobody knows. */
  readonly watchers: readonly string[] | undefined;

  constructor(message: string, watchers?: readonly string[]) {
    super(message);
    this.watchers = watchers;
  }
}
