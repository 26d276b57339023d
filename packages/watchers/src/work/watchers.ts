import type { Cancel, Host } from '@waymark/contract/engine';
import type { Devices } from '@waymark/contract/hub';
import type { MemoedRun, Runner } from '@waymark/contract/runs';
import { principalPrefix, type WatchSettings } from '../declaration/watch-settings.ts';
import { Conclusions } from '../run/conclusions.ts';
import { Leadership } from './leadership.ts';
import { Watcher } from './watcher.ts';

/** How often the runs of watchers are looked after, milliseconds: while some are open, and otherwise, for those that were retried. */
const followMs = 1_000;
const idleMs = 10_000;

/** Runs that are asked for at a time. */
const pageSize = 200;

/** What all watchers of an application work with. */
export interface WatchersParts {
  readonly host: Host;
  readonly runner: Runner;
  readonly devices: Devices;
  readonly publicUrl: string | undefined;
}

/** All watchers of a process. They work in one process of all on a database: the one that leads. */
export class Watchers {
  readonly all: readonly Watcher[];
  readonly #parts: WatchersParts;
  readonly #leadership: Leadership;
  readonly #byName: ReadonlyMap<string, Watcher>;
  #follow: Cancel | undefined;
  #following: Promise<void> | undefined;

  constructor(settings: readonly WatchSettings[], parts: WatchersParts) {
    const { host, devices } = parts;
    const conclusions = new Conclusions(parts);
    this.#parts = parts;
    this.#leadership = new Leadership(host, {
      gained: () => this.#gained(),
      lost: () => {
        host.log('warn', 'another process runs the watchers now');
        this.#rest();
      },
    });
    this.all = settings.flatMap((one) => {
      const route = host.table.get(one.agent);
      const confirm = (): Promise<boolean> => this.#leadership.confirm();
      // Without its agent the check has kept the server from starting.
      return route ? [new Watcher({ settings: one, route, host, devices, conclusions, confirm })] : [];
    });
    this.#byName = new Map(this.all.map((one) => [one.settings.name, one]));
  }

  /** Whether it is this process that runs them. */
  get leads(): boolean {
    return this.#leadership.held;
  }

  start(): Promise<void> {
    return this.#leadership.start();
  }

  async stop(): Promise<void> {
    this.#rest();
    await this.#following;
    await Promise.all(this.all.map((one) => one.settled()));
    await this.#leadership.stop();
  }

  /** What other processes left open is heard of before anything new is judged. */
  async #gained(): Promise<void> {
    await this.#hear();
    for (const one of this.all) await one.start(await this.#newestOf(one));
    this.#schedule();
  }

  #rest(): void {
    this.#follow?.();
    this.#follow = undefined;
    for (const one of this.all) one.stop();
  }

  /** Of a watcher that is not declared any more nobody is told: its runs are open until they have ended. */
  async #forget({ rootId, status }: MemoedRun): Promise<void> {
    if (status === 'running' || status === 'ready' || status === 'waiting') return;
    await this.#parts.runner.acknowledge(rootId, status);
  }

  #newestOf({ settings }: Watcher): Promise<MemoedRun | undefined> {
    return this.#parts.runner.newestMemo(`${principalPrefix}${settings.name}`);
  }

  /** Whether runs are open is asked each second: one may have begun since the last time. */
  #schedule(idleForMs = 0): void {
    const follow = this.#parts.host.after(followMs, async () => {
      const isOpen = this.all.some(({ openRuns }) => openRuns.length > 0);
      const idleSinceMs = idleForMs + followMs;
      if (!isOpen && idleSinceMs < idleMs) return this.#schedule(idleSinceMs);
      this.#following = this.#hear().catch((error: unknown) => {
        this.#parts.host.log('warn', 'the runs of watchers could not be looked after', { error });
      });
      await this.#following;
      // Meanwhile another process may have led, and then this one again, which has scheduled it.
      if (this.#follow === follow) this.#schedule();
    });
    this.#follow = follow;
  }

  /** Tells each watcher how its open runs stand; also of those that somebody has retried. */
  async #hear(): Promise<void> {
    const { runner, host } = this.#parts;
    const open = new Map(this.all.map((one) => [one, new Set(one.openRuns)]));
    let after: string | undefined;
    for (;;) {
      const page = await runner.memos({ limit: pageSize, ...(after !== undefined && { after }) });
      for (const run of page) {
        if (!run.principal.startsWith(principalPrefix)) continue;
        const watcher = this.#byName.get(run.principal.slice(principalPrefix.length));
        if (!watcher) {
          await this.#forget(run);
          continue;
        }
        open.get(watcher)?.delete(run.rootId);
        await watcher.heard(run).catch((error: unknown) => {
          // It stays in the list, and is published in a second.
          host.log('warn', 'what a run of a watcher came to could not be published', { error });
        });
      }
      after = page.at(-1)?.rootId;
      if (page.length < pageSize) break;
    }
    for (const [watcher, runs] of open) for (const runId of runs) watcher.lost(runId);
  }
}
