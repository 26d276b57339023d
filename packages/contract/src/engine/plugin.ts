import type { CallSite } from '../declaring/call-site.ts';
import type { Database, ModelClient, Outbound } from '../models/model-client.ts';
import type { Route } from '../route/route.ts';
import type { RouteTable } from '../route/route-table.ts';
import type { Runner } from '../runs/run.ts';
import type { AuditEvent, Stores } from '../stores/stores.ts';
import type { Dispatcher, Guard } from './dispatch.ts';
import type { Problem } from './http-error.ts';
import type { Awaitable, Cancel, Values } from './json.ts';

/**
 * What a declaration call returns: data, with its place in the source. A package's factory turns its declarations
 * into one plugin.
 */
export interface Declaration<K extends string = string, O = unknown> {
  readonly kind: K;
  readonly name: string;
  readonly options: O;
  readonly declaredAt: string;
}

/** One line of a report: of the boot's checks, of the startup warnings, of the security report. */
export interface Finding {
  /** An error keeps the server from starting. */
  readonly severity: 'error' | 'warning' | 'info';
  /** The rule in a stable word: `unknown-option`. */
  readonly code?: string;
  readonly text: string;
  /** The valid name that looks most like the one given. */
  readonly nearest?: string;
  readonly fix?: string;
  /** Where the declaration stands. */
  readonly at?: CallSite;
}

/** What a plugin can look at when it is checked at boot: the whole table, before anything runs. */
export interface Boot {
  readonly table: RouteTable;
  readonly models?: ModelClient;
  env(name: string): string | undefined;
}

/** What one package adds to an application. Composition is a list of these. */
export interface Plugin {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly guards?: readonly Guard[];
  /** Checked at boot: a missing one is a `Problem`, not a surprise in the first request. */
  readonly needs?: readonly ('runner' | 'models' | 'database')[];
  /** What is wrong with its declarations, and with `severity: 'warning'` what is odd about them. */
  check?(boot: Boot): readonly Problem[];
  /** Called once, in the order of the list, after the table froze. */
  start?(host: Host): Awaitable<void>;
  /**
   * Called once, in the order of the list, when all plugins have started and callers are let in. Only from here on may a
   * plugin do work that reaches into others: take up runs, sweep what is due, deliver.
   */
  ready?(): Awaitable<void>;
  /** Called once, in the opposite order. */
  stop?(): Awaitable<void>;
  /**
   * Counts for health: `{ devices: 3, watchers: 1 }`. Asked at each request for it, so it must be cheap, and must not
   * reject.
   */
  gauges?(): Awaitable<Readonly<Record<string, number>>>;
  findings?(): readonly Finding[];
}

/** How serious a log line is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

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
