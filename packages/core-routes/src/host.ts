import { DeclarationError, type RouteTable } from '@waymark/contract';
import type { Awaitable, Cancel, Database, Dispatcher, Host, Log, Plugin } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import type { Devices } from '@waymark/contract/hub';
import { memoryStores } from '@waymark/contract/memory';
import type { ModelClient } from '@waymark/contract/models';
import type { Runner } from '@waymark/contract/runs';
import type { AuditEvent, Stores } from '@waymark/contract/stores';
import { createAuditLog } from './audit/audit-log.ts';
import { createIds } from './new-id.ts';

/** Parts of a host. All but table and dispatcher have a default or may be absent. */
export interface HostParts {
  readonly table: RouteTable;
  readonly dispatcher: Dispatcher;
  /** Stores of usage, audit, insights, outbox and leases; default: in memory. */
  readonly stores?: Partial<Stores>;
  /** Outbound HTTP client, such as `createOutbound` of `@waymark/http`; default: one that refuses every request. */
  readonly outbound?: Outbound;
  readonly runner?: Runner;
  readonly models?: ModelClient;
  readonly database?: Database;
  /** A hub as watchers see it: `devices` of what `deviceHub` returns. */
  readonly devices?: Devices;
  /** Signal that fires at shutdown; default: one that never does. */
  readonly signal?: AbortSignal;
  /** Current time in epoch milliseconds; default: `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds of a clock that is never set; default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Makes ids; default: ULIDs of `createIds`. */
  readonly newId?: () => string;
  /** Reads an environment variable; default: those of the process. */
  readonly env?: (name: string) => string | undefined;
  /** Receiver of audit events; default: an audit log over `stores.audit`. */
  readonly emit?: (event: AuditEvent) => void;
  /** Log of the host; default: nothing is written. */
  readonly log?: Log;
}

const noOutbound: Outbound = {
  request: () => Promise.reject(new Error('this host was given no outbound client')),
};

/** Makes the host that plugins are started with; default parts are memory stores and the real clocks. */
export function createHost(parts: HostParts): Host {
  const { now = Date.now, newId = createIds(now), log = () => {}, env = (name) => process.env[name] } = parts;
  const { monotonic = () => performance.now() } = parts;
  const { signal = new AbortController().signal, runner, models, database, devices } = parts;
  const stores: Stores = { ...memoryStores(), ...parts.stores };
  return {
    table: parts.table,
    dispatcher: parts.dispatcher,
    stores,
    outbound: parts.outbound ?? noOutbound,
    ...(runner && { runner }),
    ...(models && { models }),
    ...(database && { database }),
    ...(devices && { devices }),
    signal,
    now,
    monotonic,
    newId,
    env,
    after: createTimers(signal, log),
    emit: parts.emit ?? createAuditLog(stores.audit, { now, newId, log }).emit,
    log,
  };
}

/** The longest time that a timer of the platform can wait, 25 days; it fires a longer one at once. */
const longestMs = 2 ** 31 - 1;

/** Timers that end with the host, and log what their tasks throw. */
function createTimers(signal: AbortSignal, log: Log): Host['after'] {
  const open = new Set<NodeJS.Timeout>();
  signal.addEventListener('abort', () => {
    for (const timer of open) clearTimeout(timer);
    open.clear();
  });
  return (ms: number, task: () => Awaitable<void>): Cancel => {
    if (signal.aborted) return () => {};
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      timer = setTimeout(
        () => {
          open.delete(timer);
          if (leftMs > longestMs) wait(leftMs - longestMs);
          else
            Promise.resolve()
              .then(task)
              .catch((error: unknown) => log('error', 'a timer task failed', { error }));
        },
        Math.min(leftMs, longestMs),
      );
      open.add(timer);
    };
    wait(ms);
    return () => {
      open.delete(timer);
      clearTimeout(timer);
    };
  };
}

/** Before anything is started: what is missing would be found out by the first request else. */
function checkNeed(plugin: string, need: NonNullable<Plugin['needs']>[number], host: Host): void {
  const given = need === 'outbound' ? host.outbound !== noOutbound : host[need] !== undefined;
  if (given) return;
  const fix = fixes[need] ?? '';
  throw new Error(`plugin "${plugin}" needs ${need}, which createHost was not given${fix}`);
}

const fixes: { readonly [need in NonNullable<Plugin['needs']>[number]]?: string } = {
  outbound: ': createOutbound() of @waymark/http makes one',
  devices: ': it is a member of what deviceHub() of @waymark/device-hub returns',
};

/** Started plugins, as `startPlugins` returns them. */
export interface StartedPlugins {
  /** Tells the plugins, in the order of the list, that callers are let in; called once. */
  ready(): Promise<void>;
  /** Stops the plugins in reverse order; a failure does not keep the others from stopping. */
  stop(): Promise<void>;
}

/**
 * Starts plugins in the order of the list; when one fails, those already started are stopped. Call `ready` once callers
 * are let in: only then are stored runs resumed and due work done.
 *
 * @throws {DeclarationError} a plugin found its declarations wrong
 * @throws {Error} a plugin failed, or needs what the host was not given; the message names it
 */
export async function startPlugins(plugins: readonly Plugin[], host: Host): Promise<StartedPlugins> {
  for (const { name, needs = [] } of plugins) for (const need of needs) checkNeed(name, need, host);
  const started: Plugin[] = [];
  const stop = async (): Promise<void> => {
    for (const plugin of started.splice(0).reverse()) {
      try {
        await plugin.stop?.();
      } catch (error) {
        host.log('error', 'a plugin failed to stop', { plugin: plugin.name, error });
      }
    }
  };
  for (const plugin of plugins) {
    try {
      await plugin.start?.(host);
      started.push(plugin);
    } catch (error) {
      await stop();
      // What is wrong with declarations says itself where; some of it only a database knows.
      if (error instanceof DeclarationError) throw error;
      throw new Error(`plugin "${plugin.name}" failed to start`, { cause: error });
    }
  }
  const ready = async (): Promise<void> => {
    for (const plugin of started) {
      try {
        await plugin.ready?.();
      } catch (error) {
        throw new Error(`plugin "${plugin.name}" failed to get ready`, { cause: error });
      }
    }
  };
  return { ready, stop };
}
