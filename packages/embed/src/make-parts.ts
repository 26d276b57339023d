import type { RouteTable } from '@waymark/contract';
import type { Dispatcher, Host, Log } from '@waymark/contract/engine';
import { memoryStores } from '@waymark/contract/memory';
import { type Authenticate, anonymous } from '@waymark/contract/principal';
import type { AuditEvent } from '@waymark/contract/stores';
import { createAuditLog, createDispatcher, createHost, createIds, requireAdmin } from '@waymark/core-routes';
import { createDoor, createLog, createOutbound, type Door } from '@waymark/http';
import type { EmbedOptions } from './embed-options.ts';

/** What a table works with, before its plugins start. */
export interface EmbedParts {
  readonly door: Door;
  readonly dispatcher: Dispatcher;
  readonly host: Host;
  readonly log: Log;
  /** Aborted when closing begins: work that nobody called ends. */
  readonly draining: AbortController;
  /** Aborted when its time is over: so do calls under way. */
  readonly stopping: AbortController;
  /** Writes what is still to be written, and lets go of connections; the host's timers end, too. */
  release(): Promise<void>;
}

/** How long the audit log may take for its last events. */
const flushMs = 500;

const nobody: Authenticate = () => ({ ok: true, principal: anonymous() });

/** Makes dispatcher, host and door of a frozen table. */
export function makeParts(options: EmbedOptions, table: RouteTable): EmbedParts {
  const { plugins = [], routes: _routes, shutdownTimeoutMs: _shutdownTimeoutMs, ...given } = options;
  const { log = createLog({ level: 'warn', pretty: process.stdout.isTTY }) } = given;
  const { now = Date.now, newId = createIds(now) } = given;
  const { controlRule = requireAdmin(), authenticate = nobody, requestTimeoutMs = 30_000 } = given;
  const own = createOutbound();
  const { outbound = own } = given;
  const stores = { ...memoryStores(), ...given.stores };
  const audit = createAuditLog(stores.audit, { now, newId, log });
  const emit = (event: AuditEvent): void => {
    audit.emit(event);
    for (const plugin of plugins) plugin.observe?.(event);
    given.emit?.(event);
  };
  const draining = new AbortController();
  const stopping = new AbortController();
  const shared = { ...given, table, controlRule, authenticate, now, newId, log, emit };
  const guards = [...(given.guards ?? []), ...plugins.flatMap((plugin) => plugin.guards ?? [])];
  const dispatcher = createDispatcher(table, { ...shared, guards, signal: stopping.signal });
  return {
    ...{ dispatcher, log, draining, stopping },
    // A stream may pause as long as any other answer may take (decision 2.11).
    door: createDoor({ streamIdleMs: requestTimeoutMs, ...shared, dispatcher }),
    host: createHost({ ...shared, outbound, dispatcher, stores, signal: draining.signal }),
    async release() {
      draining.abort();
      await Promise.all([audit.flush(flushMs), own.close()]);
    },
  };
}
