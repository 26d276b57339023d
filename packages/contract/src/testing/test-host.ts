import type { Dispatcher } from '../engine/dispatch.ts';
import type { Host, LogLevel } from '../engine/host.ts';
import { HTTPError } from '../engine/http-error.ts';
import type { Values } from '../engine/json.ts';
import { problemResponse } from '../engine/message.ts';
import type { Outbound } from '../http/outbound.ts';
import { memoryStores } from '../memory/index.ts';
import { createRouteTable } from '../route/route-table.ts';
import type { AuditEvent } from '../stores/stores.ts';
import { type FixedClock, fixedClock } from './fixed-clock.ts';

/** One line that a test host was told to log. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Values;
}

/** A host for tests: nothing in it happens by itself, and everything told to it can be read. */
export interface TestHost extends Host {
  readonly clock: FixedClock;
  /** What was emitted, oldest first. */
  readonly events: readonly AuditEvent[];
  /** What was logged, oldest first. */
  readonly logs: readonly LogLine[];
  /** Fires `signal`; tasks that were to run later never do. */
  shutdown(): void;
}

/**
 * Makes a host over memory stores, an empty table and a clock that stands still. Ids count up from
 * `00000000000000000000000001`, variables of the environment are unset, outbound requests are refused (502), and the
 * dispatcher answers 501.
 *
 * @param overrides members to use instead; `clock` may be shared with others
 */
export function testHost(overrides: Partial<Host> & { readonly clock?: FixedClock } = {}): TestHost {
  const { clock = fixedClock(), ...members } = overrides;
  const events: AuditEvent[] = [];
  const logs: LogLine[] = [];
  const end = new AbortController();
  let ids = 0;
  const host: TestHost = {
    clock,
    events,
    logs,
    shutdown: () => end.abort(),
    table: createRouteTable(),
    dispatcher: noDispatcher,
    stores: memoryStores(),
    outbound: noOutbound,
    signal: end.signal,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    // Digits are letters of the alphabet of ULIDs, so these sort and parse like real ones.
    newId: () => String(++ids).padStart(26, '0'),
    env: () => undefined,
    after: (ms, task) =>
      clock.after(ms, async () => {
        if (host.signal.aborted) return;
        try {
          await task();
        } catch (error) {
          host.log('error', 'a task that was to run later failed', { error });
        }
      }),
    emit: (event) => void events.push(event),
    log: (level, message, fields = {}) => void logs.push({ level, message, fields }),
    ...members,
  };
  return host;
}

const noDispatcher: Dispatcher = {
  dispatch: async () => problemResponse(501, 'this test host has no dispatcher'),
  upgrade: async () => ({ ok: false, response: problemResponse(501, 'this test host has no dispatcher') }),
};

const noOutbound: Outbound = {
  request: async ({ url }) => {
    throw new HTTPError(502, `this test host refuses to reach ${url}`);
  },
};
