import { DeclarationError, type RouteTable } from '@waymark/contract';
import type { Awaitable, Cancel, Database, Dispatcher, Host, Log, Plugin } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import { memoryStores } from '@waymark/contract/memory';
import type { ModelClient } from '@waymark/contract/models';
import type { Runner } from '@waymark/contract/runs';
import type { AuditEvent, Stores } from '@waymark/contract/stores';
import { createAuditLog } from './audit-log.ts';
import { createIds } from './new-id.ts';

/** What a host is made of. Everything but table and dispatcher has a working default. */
export interface HostParts {
  readonly table: RouteTable;
  readonly dispatcher: Dispatcher;
  /** In memory. */
  readonly stores?: Partial<Stores>;
  /** Refuses every request: whoever fetches needs the client of `@waymark/http`. */
  readonly outbound?: Outbound;
  readonly runner?: Runner;
  readonly models?: ModelClient;
  readonly database?: Database;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  readonly monotonic?: () => number;
  readonly newId?: () => string;
  readonly env?: (name: string) => string | undefined;
  /** A batching audit log over `stores.audit`. */
  readonly emit?: (event: AuditEvent) => void;
  /** Nothing is written. */
  readonly log?: Log;
}

const noOutbound: Outbound = {
  request: () => Promise.reject(new Error('this host was given no outbound client')),
};

/** Makes the host that plugins work on: memory stores and the real clocks where nothing else is given. */
export function createHost(parts: HostParts): Host {
  const { now = Date.now, newId = createIds(now), log = () => {}, env = (name) => process.env[name] } = parts;
  const { monotonic = () => performance.now() } = parts;
  const { signal = new AbortController().signal, runner, models, database } = parts;
  const stores: Stores = { ...memoryStores(), ...parts.stores };
  return {
    table: parts.table,
    dispatcher: parts.dispatcher,
    stores,
    outbound: parts.outbound ?? noOutbound,
    ...(runner && { runner }),
    ...(models && { models }),
    ...(database && { database }),
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

/** Plugins at work. */
export interface StartedPlugins {
  /** Tells all of them, in the order of the list, that everything has started and callers are let in: once. */
  ready(): Promise<void>;
  /** Stops them in the opposite order; one that fails does not keep the others from stopping. */
  stop(): Promise<void>;
}

/**
 * Starts plugins in the order of the list. When one fails, those already started are stopped again. Whoever starts them
 * calls `ready` once callers are let in: runs are taken up, and what is due is done, only then.
 *
 * @throws {DeclarationError} what a plugin finds wrong with its declarations; anything else by the name of the plugin
 */
export async function startPlugins(plugins: readonly Plugin[], host: Host): Promise<StartedPlugins> {
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
