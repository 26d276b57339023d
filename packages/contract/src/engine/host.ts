import type { Outbound } from '../http/outbound.ts';
import type { Devices } from '../hub/devices.ts';
import type { ModelClient } from '../models/model-client.ts';
import type { RouteTable } from '../route/route-table.ts';
import type { Runner } from '../runs/run.ts';
import type { AuditEvent, Stores } from '../stores/stores.ts';
import type { Database } from './database.ts';
import type { Dispatcher } from './dispatch.ts';
import type { Awaitable, Cancel, Values } from './json.ts';

/** The severity of a log line; `fatal` is what ends the process. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Writes one log line. Must not throw; `fields` never hold credentials, queries or bodies. */
export type Log = (level: LogLevel, message: string, fields?: Values) => void;

/** For work nobody called: watchers, timers, deliveries. Tests pass one with a clock that stands still. */
export interface Host {
  readonly table: RouteTable;
  readonly dispatcher: Dispatcher;
  readonly stores: Stores;
  readonly outbound: Outbound;
  readonly runner?: Runner;
  readonly models?: ModelClient;
  readonly database?: Database;
  readonly devices?: Devices;
  /** Fires when shutdown begins. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds: for what is shown or stored. People and NTP set this clock, so nothing is counted by it. */
  now(): number;
  /**
   * Milliseconds by a clock that is never set, `performance.now()`: durations, ages, rates and deadlines are counted by
   * it. It means nothing in another process.
   */
  monotonic(): number;
  /** A ULID: sorts by time, unique. */
  newId(): string;
  env(name: string): string | undefined;
  /** Runs a task once, later; never after shutdown began. What the task throws is logged. */
  after(ms: number, task: () => Awaitable<void>): Cancel;
  /** Reports an audit event; written in batches. */
  emit(event: AuditEvent): void;
  log: Log;
}
