import type { RouteTable } from '@waymark/contract';
import type { Dispatcher, Log, Plugin, Router, Trouble } from '@waymark/contract/engine';
import type { Sessions } from '@waymark/contract/principal';
import type { AuditEvent } from '@waymark/contract/stores';
import type { DispatcherOptions } from '@waymark/core-routes';
import type { Door, DoorOptions, HandedConnection, HandOver, Listening } from '@waymark/http';
import type { Role } from './role.ts';

/** Parts of a server that its post works with. */
export interface PostParts {
  readonly table: RouteTable;
  readonly dispatcher: Dispatcher & Router;
  readonly door: Door;
  readonly log: Log;
  readonly sessions: Sessions | undefined;
  emit(event: AuditEvent): void;
  troubles(): readonly Trouble[];
  eventLoopP99Ms(): number;
}

/** A server that listens, as its post uses it. */
export interface Serving extends Pick<Listening, 'adopt'> {
  /** Ends without a request lost: each connection is given away as soon as nothing is under way on it. */
  retire(give: (connection: HandedConnection) => void): Promise<void>;
}

/** What one of several processes of a server does for the others, and they for it. */
export interface Post {
  readonly role: Role;
  readonly index: number;
  readonly processes: number;
  /** The start or reload that it is of. */
  readonly boot: string;
  /** Why they are no more, where nobody said how many. */
  readonly because: string | undefined;
  readonly pretty: boolean;
  /** Where another process listens for this one. */
  readonly heldAt: { readonly url: string; readonly port: number };
  /** Whether a plugin starts here. */
  starts(plugin: Plugin): boolean;
  /** Who answers the calls of owner routes; undefined where this process does. */
  ownerOf(plugins: readonly Plugin[]): DispatcherOptions['owner'];
  /** Takes audit events in place of a log of its own; undefined where this process keeps it. */
  readonly emit: ((event: AuditEvent) => void) | undefined;
  /** What the door of a process shares with the others. */
  readonly door: Pick<DoorOptions, 'sharedLimits' | 'onAnswered'>;
  /** Sessions whose end is told to all processes. */
  share(sessions: Sessions | undefined): Sessions | undefined;
  /** Dispatches with what the others have counted, where this process answers for all. */
  around<D extends Dispatcher & Router>(dispatcher: D): Dispatcher & Router;
  /** Connections that another process answers; undefined where there are none. */
  handOver(router: Router, plugins: readonly Plugin[]): HandOver | undefined;
  /** What the others say of themselves, for health. */
  others(): { readonly troubles: readonly Trouble[]; readonly eventLoopP99Ms: number };
  /** Called once, before callers are let in. */
  open(parts: PostParts): Promise<void>;
  /** Goes on with connections of others from now on. */
  serve(serving: Serving): void;
  /** Resolves when nobody needs this process any more, or after so long. Called once the door is closed. */
  leave(withinMs: number): Promise<void>;
}
