import { randomBytes } from 'node:crypto';
import type { Route } from '@waymark/contract';
import type { Host, RouteResponse } from '@waymark/contract/engine';
import type { DeviceStatus, Devices, FrameRecord, Sight } from '@waymark/contract/hub';
import type { MemoedRun } from '@waymark/contract/runs';
import { principalOf, type WatchSettings } from '../declaration/watch-settings.ts';
import { LastLook, toDigests } from '../look/last-look.ts';
import { type Conclusions, gone } from '../run/conclusions.ts';
import { readAnswer } from '../run/read-answer.ts';
import { toRunInput } from '../run/run-input.ts';
import { readMemo, type WatchMemo } from '../run/watch-memo.ts';
import { Ceilings } from './ceilings.ts';
import { Ticks } from './ticks.ts';
import {
  afterEvent,
  countRuns,
  idleState,
  statusOf,
  toTick,
  type WatchEvent,
  type WatchState,
  type WatchStatus,
} from './watch-state.ts';

/** What a watcher works with. */
export interface WatcherParts {
  readonly settings: WatchSettings;
  /** The agent's, from the table. */
  readonly route: Route;
  readonly host: Host;
  readonly devices: Pick<Devices, 'look'>;
  readonly conclusions: Conclusions;
  /** Whether it is this process that runs the watchers, for sure. */
  confirm(): Promise<boolean>;
}

/** What a watcher did last; times are epoch milliseconds, null until there was one. */
export interface WatcherFacts {
  readonly status: WatchStatus;
  readonly parked: number;
  readonly lastTickAtMs: number | null;
  readonly nextTickAtMs: number | null;
  readonly lastChangeAtMs: number | null;
  readonly lastRunId: string | null;
  readonly lastRunAtMs: number | null;
}

/** One watcher at work: looks at its device at each tick, runs its agent when something changed, follows its runs. */
export class Watcher {
  readonly settings: WatchSettings;
  readonly ceilings: Ceilings;
  readonly #parts: WatcherParts;
  readonly #ticks: Ticks;
  readonly #last = new LastLook();
  /** The frames of runs that nothing was published of yet. */
  readonly #frames = new Map<string, FrameRecord>();
  readonly #concluding = new Map<string, Promise<void>>();
  #state: WatchState = idleState;
  #device: DeviceStatus | undefined;
  #lastTickAtMs: number | null = null;
  #lastChangeAtMs: number | null = null;
  #lastRun: { readonly runId: string; readonly atMs: number } | undefined;

  constructor(parts: WatcherParts) {
    const { settings, host } = parts;
    this.settings = settings;
    this.#parts = parts;
    this.ceilings = new Ceilings(settings, host);
    this.#ticks = new Ticks(settings.everyMs, host, () => this.tick());
  }

  get facts(): WatcherFacts {
    const untilNextMs = this.#ticks.untilNextMs;
    return {
      status: statusOf(this.#state, this.#device),
      parked: countRuns(this.#state, 'parked'),
      lastTickAtMs: this.#lastTickAtMs,
      nextTickAtMs: untilNextMs === undefined ? null : Math.round(this.#parts.host.now() + untilNextMs),
      lastChangeAtMs: this.#lastChangeAtMs,
      lastRunId: this.#lastRun?.runId ?? null,
      lastRunAtMs: this.#lastRun?.atMs ?? null,
    };
  }

  /** Runs that have not ended, or of whose end nothing was published. */
  get openRuns(): readonly string[] {
    return [...this.#state.runs.keys()];
  }

  /** Begins to tick. @param newest the run that it began last, if any is stored */
  async start(newest: MemoedRun | undefined): Promise<void> {
    this.#last.forget();
    const memo = newest && readMemo(newest.memo);
    if (newest && memo) {
      this.#lastRun = { runId: newest.rootId, atMs: newest.createdMs };
      this.#lastChangeAtMs = newest.createdMs;
      if (!(await this.#wasInterrupted(newest))) this.#last.restore(memo.look);
    }
    this.#ticks.start();
  }

  /** Ticks no more. Runs go on. */
  stop(): void {
    this.#ticks.stop();
  }

  /** Waits for what is being published. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#concluding.values());
  }

  /** Looks, and runs the agent if there is reason to. Never rejects. */
  async tick(): Promise<void> {
    const { host, devices, settings } = this.#parts;
    this.#lastTickAtMs = host.now();
    if (toTick(this.#state, host.monotonic()) !== 'look') return;
    this.#happened({ type: 'looks' });
    let sight: Sight;
    try {
      sight = await devices.look(settings.device, host.signal);
    } catch (error) {
      host.log('debug', 'a watcher could not look at its device', { watcher: settings.name, error });
      return this.#happened({ type: 'blind' });
    }
    this.#device = sight.status;
    try {
      if (!this.#isWorth(sight) || !(await this.#begin(sight))) this.#happened({ type: 'idle' });
    } catch (error) {
      this.#happened({ type: 'idle' });
      host.log('warn', 'a watcher could not begin a run', { watcher: settings.name, error });
    }
  }

  /** Hears how one of its runs stands, from the store. */
  async heard(run: MemoedRun): Promise<void> {
    const { rootId: runId, status, waitsFor, acknowledged } = run;
    const known = this.#state.runs.get(runId);
    if (status === 'running' || status === 'ready') {
      if (known !== 'running') this.#happened({ type: 'runs', runId });
      return;
    }
    if (status === 'waiting') {
      if (known !== 'parked') this.#happened({ type: 'parks', runId });
      if (waitsFor === acknowledged) return;
    }
    const memo = readMemo(run.memo);
    if (memo) await this.#conclude(runId, run.route, memo);
  }

  /** Hears that a run is in the store no more, or that its end was published elsewhere. */
  lost(runId: string): void {
    // What is being published says itself how it ended.
    if (this.#concluding.has(runId)) return;
    this.#forget(runId);
  }

  /** Without a picture and a reading there is nothing to judge. */
  #isWorth(sight: Sight): boolean {
    if (!sight.frame && !sight.telemetry) return false;
    const differs = this.#last.differs(sight);
    if (differs) this.#lastChangeAtMs = this.#parts.host.now();
    return differs || !this.settings.onlyOnChange;
  }

  /** @returns false when no run was asked for */
  async #begin(sight: Sight): Promise<boolean> {
    if (!(await this.#parts.confirm())) return false;
    const limit = await this.ceilings.take();
    if (limit) {
      this.#happened({ type: 'limited', ...limit });
      return true;
    }
    const { name, device, agent } = this.settings;
    const { frame } = sight;
    const memo: WatchMemo = {
      ...{ watcher: name, device, agent },
      seq: frame?.seq ?? null,
      look: toDigests(sight),
      token: frame ? randomBytes(24).toString('base64url') : null,
    };
    this.#last.keep(sight);
    this.#happened({ type: 'starts' });
    // A tick is over when its run has begun: the next one finds it.
    void this.#run(sight, memo).catch((error: unknown) => {
      const { log, signal } = this.#parts.host;
      // Of a service that stops, what it takes to publish has stopped already: whoever comes next tells it.
      const level = signal.aborted ? 'debug' : 'error';
      log(level, 'what a run of a watcher came to could not be published', { watcher: name, error });
    });
    return true;
  }

  async #run(sight: Sight, memo: WatchMemo): Promise<void> {
    const { host, route, settings } = this.#parts;
    let runId: string | undefined;
    const response = await host.dispatcher.dispatch({
      route,
      input: { by: 'arguments', values: toRunInput(settings.input, sight) },
      principal: principalOf(settings),
      via: 'watcher',
      requestId: host.newId(),
      transient: true,
      memo,
      onRun: (id) => {
        runId = id;
        if (sight.frame) this.#frames.set(id, sight.frame);
        this.#lastRun = { runId: id, atMs: host.now() };
        this.#happened({ type: 'begun', runId: id });
      },
    });
    if (runId === undefined) return this.#refused(response, memo, sight.frame);
    await this.#conclude(runId, route.name, memo);
  }

  /** No run came of it. What the service cannot do now is tried again; what the agent does not take is not. */
  async #refused(response: RouteResponse, memo: WatchMemo, frame: FrameRecord | undefined): Promise<void> {
    const { host, route, conclusions, settings } = this.#parts;
    this.#happened({ type: 'refused', atMs: host.monotonic() });
    const reading = readAnswer(response);
    if (response.status >= 500 || response.status === 429 || !reading) return this.#last.forget();
    const run = { route: route.name, principal: principalOf(settings), memo, frame };
    try {
      await conclusions.refused({ ...run, hasWebhook: settings.webhook !== null }, reading);
    } catch (error) {
      // Nothing is stored of what was no run: it has to be refused once more to be told.
      this.#last.forget();
      throw error;
    }
  }

  /** Publishes how a run stands, once at a time. */
  async #conclude(runId: string, route: string, memo: WatchMemo): Promise<void> {
    const under = this.#concluding.get(runId);
    if (under) return under;
    const work = this.#publish(runId, route, memo).finally(() => this.#concluding.delete(runId));
    this.#concluding.set(runId, work);
    await work;
  }

  async #publish(runId: string, route: string, memo: WatchMemo): Promise<void> {
    const { conclusions, settings } = this.#parts;
    const frame = this.#frames.get(runId);
    const reading = await conclusions.publish({
      ...{ runId, route, memo, frame },
      principal: principalOf(settings),
      hasWebhook: settings.webhook !== null,
    });
    if (!reading) return this.#happened({ type: 'runs', runId });
    if (reading === gone) return this.#forget(runId);
    // It is kept with the insight from here on.
    this.#frames.delete(runId);
    const { status, code } = reading;
    if (status === 'awaiting_approval' || status === 'waiting_provider')
      return this.#happened({ type: 'parks', runId });
    // It judged nothing: what it was given is looked at again.
    if (code === interrupted && this.#lastRun?.runId === runId) this.#last.forget();
    this.#ended(runId, status === 'failed' && code !== interrupted);
  }

  #forget(runId: string): void {
    this.#frames.delete(runId);
    if (this.#state.runs.has(runId)) this.#ended(runId, false);
  }

  #ended(runId: string, failed: boolean): void {
    this.#happened({ type: 'ends', runId, failed, atMs: this.#parts.host.monotonic() });
  }

  async #wasInterrupted({ rootId, route, status }: MemoedRun): Promise<boolean> {
    if (status !== 'failed') return false;
    const code = await this.#parts.conclusions.codeOf(rootId, route, principalOf(this.settings));
    return code === interrupted;
  }

  #happened(event: WatchEvent): void {
    this.#state = afterEvent(this.#state, event, this.settings.everyMs);
  }
}

/** The code of a run whose process ended while its input was in memory alone. */
const interrupted = 'interrupted';
