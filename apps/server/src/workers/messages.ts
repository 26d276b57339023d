import type { StartupReport } from '../boot/startup-report.ts';
import type { Role } from './role.ts';

/** What a process is told when it begins. */
export interface Orders {
  readonly role: Role;
  /** Of its place among the processes; a process that takes another's place has its number. */
  readonly index: number;
  readonly processes: number;
  /** Names the start or reload that this process is of: those of one have the same code. */
  readonly boot: string;
  /** Why they are no more, where nobody said how many. */
  readonly because: string | undefined;
  /** Folder of the sockets between them, which nobody else may enter. */
  readonly folder: string;
  /** Proves to the owner that a worker is one of ours. */
  readonly secret: string;
  /** Where they are listened for. */
  readonly heldAt: { readonly url: string; readonly port: number };
  /** Where the owner takes calls; undefined while there is none. */
  readonly ownerPath: string | undefined;
  /** Whether log lines are written for people. */
  readonly pretty: boolean;
}

/** From the process that keeps the others. */
export type ToMember =
  | ({ readonly type: 'begin' } & Orders)
  /** There is an owner, at that path. */
  | { readonly type: 'owner'; readonly path: string }
  /** A connection to go on with, which comes along. */
  | { readonly type: 'connection'; readonly head: Uint8Array }
  | { readonly type: 'stop' }
  /** Another process has taken its place. */
  | { readonly type: 'retire' };

/** From one of the others. */
export type FromMember =
  | { readonly type: 'hello' }
  | { readonly type: 'ready'; readonly report: StartupReport; readonly ownerPath: string | undefined }
  /** A connection for another process, which comes along. */
  | { readonly type: 'connection'; readonly to: 'owner' | 'any'; readonly head: Uint8Array }
  /** It was told to stop by somebody else. */
  | { readonly type: 'signalled' }
  /** A failure was left behind in it: it goes on until another one serves in its place, and ends. */
  | { readonly type: 'failed' };
