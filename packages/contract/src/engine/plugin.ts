import type { Problem } from '../declaring/declaration-error.ts';
import type { Finding } from '../declaring/finding.ts';
import type { LimitInForce } from '../declaring/limit-in-force.ts';
import type { Devices } from '../hub/devices.ts';
import type { ModelClient } from '../models/model-client.ts';
import type { Placement, Route } from '../route/route.ts';
import type { RouteTable } from '../route/route-table.ts';
import type { WebhookEndpoint } from '../stores/delivery.ts';
import type { AuditEvent } from '../stores/stores.ts';
import type { Guard } from './dispatch.ts';
import type { Host } from './host.ts';
import type { Awaitable } from './json.ts';
import type { Trouble } from './trouble.ts';

/** The application as a plugin sees it when it is checked at boot: the whole table, before anything runs. */
export interface Boot {
  readonly table: RouteTable;
  readonly models?: ModelClient;
  /** What is declared of them: nothing runs yet. */
  readonly devices?: Pick<Devices, 'declared'>;
  env(name: string): string | undefined;
}

/** A package's part of an application: routes, guards, checks, work of its own. Composition is a list of these. */
export interface Plugin {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly guards?: readonly Guard[];
  /**
   * Where it starts when several processes serve: with `any` in each, for itself, and `ready` is called in the owner alone.
   * Default: one that has a `start` starts in the owner only, and its routes are the owner's, whatever they say.
   */
  readonly placement?: Placement;
  /** Checked at boot: a missing one is a `Problem`, not a surprise in the first request. */
  readonly needs?: readonly ('runner' | 'models' | 'database' | 'outbound' | 'devices')[];
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
  /**
   * What is wrong with it at the moment, for health; empty while all is well. Asked at each request for it, so it tells
   * what is known already and looks nothing up.
   */
  troubles?(): readonly Trouble[];
  findings?(): readonly Finding[];
  /** Told of each audit event as it is reported, also of its own. Must not throw, and must not take long. */
  observe?(event: AuditEvent): void;
  /** Kinds of its audit events, besides those of every service: who filters by any other is told that there is none. */
  readonly audits?: readonly string[];
  /** The endpoints that its deliveries name. */
  webhooks?(): readonly WebhookEndpoint[];
  /** What its callers may use up, for the security report; not the limits of one declaration. */
  limits?(): readonly LimitInForce[];
}
