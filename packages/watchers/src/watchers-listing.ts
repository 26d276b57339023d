import { listing, type Route, type Static, Type } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import { costsLastDay } from './work/ceilings.ts';
import type { Watcher } from './work/watcher.ts';
import type { Watchers } from './work/watchers.ts';

/** What a running plugin shows. */
export interface ShownWatchers {
  readonly host: Pick<Host, 'stores' | 'now'>;
  readonly watchers: Pick<Watchers, 'all' | 'leads'>;
}

/** `GET {control_prefix}/watchers` (decision 9.5). Of a webhook the host alone: the rest may be secret. */
export function watchersListing(shown: () => ShownWatchers | undefined): Route {
  return listing(
    'watchers',
    async () => {
      const running = shown();
      if (!running || running.watchers.all.length === 0) return [];
      const { watchers, host } = running;
      const costs = await costsLastDay(host);
      return Promise.all(watchers.all.map((one) => toRow(one, costs.get(one.settings.name), watchers.leads)));
    },
    { summary: 'Lists the watchers: what they run, how often, and how they are.', row: watcherRow },
  );
}

async function toRow(
  { settings, facts, ceilings }: Watcher,
  costMicros: number | null | undefined,
  leads: boolean,
): Promise<WatcherRow> {
  const { name, device, agent, every, scopes, maxRunsPerHour, maxCostPerDay, webhook } = settings;
  return {
    ...{ name, device, agent, every, scopes: [...scopes] },
    max_runs_per_hour: maxRunsPerHour,
    runs_last_hour: await ceilings.runsLastHour(),
    max_cost_per_day: maxCostPerDay,
    cost_usd_last_day: costMicros === null ? null : (costMicros ?? 0) / 1_000_000,
    status: facts.status,
    runs_here: leads,
    last_tick_at_ms: facts.lastTickAtMs,
    next_tick_at_ms: facts.nextTickAtMs,
    last_change_at_ms: facts.lastChangeAtMs,
    last_run_id: facts.lastRunId,
    last_run_at_ms: facts.lastRunAtMs,
    parked: facts.parked,
    webhook: webhook && hostOf(webhook.url),
  };
}

/** The host of a URL, which the check has read. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

const orNull = <S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const Time = orNull(Type.Integer());

const watcherRow = Type.Object(
  {
    ...{ name: Type.String(), device: Type.String(), agent: Type.String() },
    every: Type.Number({ description: 'Seconds between two ticks.' }),
    scopes: Type.Array(Type.String()),
    max_runs_per_hour: Type.Integer(),
    runs_last_hour: Type.Integer(),
    max_cost_per_day: orNull(Type.Number({ description: 'In USD.' })),
    cost_usd_last_day: orNull(Type.Number({ description: 'Null where a model has no price.' })),
    status: Type.Union([
      Type.Literal('ok'),
      Type.Literal('limited'),
      Type.Literal('parked'),
      Type.Literal('failing'),
      Type.Literal('offline'),
    ]),
    runs_here: Type.Boolean({
      description: 'Whether it runs in the process that answers; what came last is known there alone.',
    }),
    ...{ last_tick_at_ms: Time, next_tick_at_ms: Time, last_change_at_ms: Time },
    ...{ last_run_id: orNull(Type.String()), last_run_at_ms: Time },
    parked: Type.Integer({ description: 'Runs that wait for a human or a provider.' }),
    webhook: orNull(Type.String({ description: 'The host alone.' })),
  },
  { additionalProperties: false },
);

type WatcherRow = Readonly<Static<typeof watcherRow>>;
