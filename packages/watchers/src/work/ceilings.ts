import type { Host } from '@waymark/contract/engine';
import { principalOf, type WatchSettings } from '../declaration/watch-settings.ts';
import { hourMs, RunWindow } from './run-window.ts';
import type { Ceiling } from './watch-state.ts';

/** How long a watcher that is at a ceiling of the stores waits before it asks them again, milliseconds. */
const askAgainMs = 10_000;

const dayMs = 24 * hourMs;

/** Why no run may begin, and until when nobody has to ask again, by `Host.monotonic`. */
export interface Limit {
  readonly by: Ceiling;
  readonly untilMs: number;
}

/**
 * What a watcher may use up: runs within any hour, and money within any 24 of them. Runs are counted in the stores, which
 * a restart and other processes share, and once more by a clock that nobody sets.
 */
export class Ceilings {
  readonly #settings: WatchSettings;
  readonly #host: Host;
  readonly #window: RunWindow;

  constructor(settings: WatchSettings, host: Host) {
    this.#settings = settings;
    this.#host = host;
    this.#window = new RunWindow(settings.maxRunsPerHour);
  }

  /** Counts a run that is about to begin. @returns what keeps it from beginning, told in the audit log once an hour */
  async take(): Promise<Limit | undefined> {
    const limit = await this.#take();
    if (limit) await this.#tell(limit.by);
    return limit;
  }

  /** Runs that began within the last hour, whoever began them. */
  runsLastHour(): Promise<number> {
    return this.#host.stores.leases.used(this.#key, hourMs, this.#host.now());
  }

  async #take(): Promise<Limit | undefined> {
    const { name, maxRunsPerHour, maxCostPerDay } = this.#settings;
    const { stores, now, monotonic } = this.#host;
    const freeAtMs = this.#window.freeAtMs(monotonic());
    if (freeAtMs !== undefined) return { by: 'runs', untilMs: freeAtMs };
    const later = monotonic() + askAgainMs;
    if (maxCostPerDay !== null) {
      // What has no price may have cost anything.
      const costs = await costsLastDay(this.#host);
      const spent = costs.has(name) ? costs.get(name) : 0;
      if (typeof spent !== 'number' || spent >= maxCostPerDay * 1_000_000)
        return { by: 'cost', untilMs: later };
    }
    const taken = await stores.leases.take(this.#key, maxRunsPerHour, hourMs, now());
    if (!taken) return { by: 'runs', untilMs: later };
    this.#window.add(monotonic());
    return undefined;
  }

  async #tell(by: Ceiling): Promise<void> {
    const { stores, now, emit } = this.#host;
    const { name, device, agent, maxRunsPerHour, maxCostPerDay } = this.#settings;
    if (!(await stores.leases.take(`${this.#key}:${by}`, 1, hourMs, now()))) return;
    emit({
      kind: 'watcher_limited',
      ...{ watcher: name, device, agent, limit: by },
      runs_last_hour: await this.runsLastHour(),
      max_runs_per_hour: maxRunsPerHour,
      ...(maxCostPerDay !== null && { max_cost_per_day: maxCostPerDay }),
    });
  }

  get #key(): string {
    return `watch:${this.#settings.name}`;
  }
}

/** What the runs of each watcher have cost within 24 hours, in millionths of a USD; null where a model has no price. */
export async function costsLastDay({
  stores,
  now,
}: Pick<Host, 'stores' | 'now'>): Promise<ReadonlyMap<string, number | null>> {
  const prefix = principalOf({ name: '', scopes: [] }).id;
  const totals = await stores.usage.totals('caller', now() - dayMs);
  return new Map(
    totals.flatMap(({ key, costMicros }) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), costMicros]] : [],
    ),
  );
}
