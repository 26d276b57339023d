import type { Rehearsal, RehearsedRun, WouldCall } from '../../rehearse/rehearsal.ts';
import { toScreenText } from '../output/to-screen-text.ts';
import type { Forecast, Tally } from './tally.ts';

/** One look, as it is told. */
export interface ToldLook {
  /** The file of the picture, or which reading it was. */
  readonly name: string;
  /** Of the picture; undefined where there was a reading alone. */
  readonly bytes: number | undefined;
  readonly ms: number;
  readonly run: RehearsedRun;
}

/** How looks and their sum are told: as lines for people, or for programs. */
export interface DryRunReport {
  begin(): readonly string[];
  look(look: ToldLook): readonly string[];
  end(tally: Tally, forecast: Forecast | undefined, left: number): readonly string[];
}

/** For people. @param columns of the terminal @param noun what is shown */
export function textReport(rehearsal: Rehearsal, columns: number, noun: 'frame' | 'reading'): DryRunReport {
  const { watcher, agent, device, model, simulated, unread } = rehearsal;
  const one = simulated ? `the simulator, in place of ${model}` : model;
  return {
    begin: () => [
      `dry run of ${watcher}: agent ${agent} on ${device}, with ${one}`,
      ...(unread.length === 0 ? [] : [`not read, since it is a dry run: ${unread.join(', ')}`]),
    ],
    look: ({ name, bytes, ms, run }) => {
      const what = bytes === undefined ? name : `${name}  ${toSize(bytes)}`;
      if (!run.ran) return [cut(`${what}  unchanged, skipped`, columns)];
      const { status, tokens, costMicros, output, error } = run;
      const cost = costMicros === null ? 'no price' : toUsd(costMicros / 1_000_000);
      const said = status === 'completed' ? output : `${status} ${output}`;
      const line = `${what}  ${(ms / 1_000).toFixed(1)} s  ${count(tokens)} tokens  ${cost}  ${said}`;
      return [
        cut(line.trimEnd(), columns),
        // What is to be mended is not cut.
        ...(error === null ? [] : [`  ${toLine(error)}`]),
        ...run.calls.map((call) => cut(`  ${toCallText(call)}`, columns)),
      ];
    },
    end: (tally, forecast, left) => [
      ...(left === 0 ? [] : [`stopped: ${left} not shown`]),
      toSum(tally, noun),
      ...toCosts(tally, forecast, rehearsal),
    ],
  };
}

/** For programs: one object to a line. */
export function jsonReport(rehearsal: Rehearsal): DryRunReport {
  const { watcher, agent, device, model, simulated, unread, every, maxRunsPerHour, maxCostPerDay } =
    rehearsal;
  const toRecord = (record: object): readonly string[] => [JSON.stringify(record)];
  return {
    begin: () => toRecord({ type: 'watcher', watcher, agent, device, model, simulated, unread }),
    look: ({ name, bytes, ms, run }) => {
      const base = { type: 'frame', file: name, bytes: bytes ?? null, ms: Math.round(ms) };
      if (!run.ran) return toRecord({ ...base, status: 'skipped' });
      const { status, output, error, tokens, costMicros, calls } = run;
      return toRecord({ ...base, status, output, error, tokens, cost_usd: inUsd(costMicros), calls });
    },
    end: ({ frames, runs, skipped, failed, tokens, costMicros }, forecast, left) =>
      toRecord({
        type: 'summary',
        ...{ frames, runs, skipped, failed, left, tokens, cost_usd: inUsd(costMicros) },
        ...{ every, max_runs_per_hour: maxRunsPerHour, max_cost_per_day: maxCostPerDay },
        cost_per_run: rounded(forecast?.perRun),
        runs_per_hour: forecast?.runsPerHour ?? null,
        cost_per_hour: rounded(forecast?.perHour),
        cost_per_day: rounded(forecast?.perDay),
        hours_to_max_cost: rounded(forecast?.hoursToLimit ?? undefined),
      }),
  };
}

const verbs = {
  call: 'would call',
  ask: 'would ask a human for',
  refuse: 'would be refused, for it lacks a scope:',
} as const;

function toCallText({ tool, arguments: values, would }: WouldCall): string {
  return `${verbs[would]} ${tool} ${JSON.stringify(values)}`;
}

function toSum({ frames, runs, skipped, failed, tokens, costMicros }: Tally, noun: string): string {
  const cost = costMicros === null ? 'cost not known' : toUsd(costMicros / 1_000_000);
  const looks = `${frames} ${noun}${frames === 1 ? '' : 's'}: ${runs} run${runs === 1 ? '' : 's'}`;
  return `${looks}, ${skipped} skipped, ${failed} failed; ${count(tokens)} tokens, ${cost}`;
}

function toCosts(
  { runs, failed }: Tally,
  forecast: Forecast | undefined,
  rehearsal: Rehearsal,
): readonly string[] {
  const { every, model, simulated, maxCostPerDay } = rehearsal;
  if (runs === failed) return [];
  if (!forecast)
    return [
      `${model} has no price: app.pricing('${model}', input, output) declares it, in USD for a million tokens`,
      // What it has spent is not known, and might be more.
      ...(maxCostPerDay === null
        ? []
        : ['with maxCostPerDay, and without a price, only one run would begin in a day']),
    ];
  const { perRun, runsPerHour, perHour, perDay, hoursToLimit } = forecast;
  return [
    `${toUsd(perRun)} a run; every ${every} s, ${runsPerHour} runs an hour at most: ${toUsd(perHour)} an hour, ${toUsd(perDay)} a day`,
    ...(maxCostPerDay === null
      ? ['no maxCostPerDay is declared']
      : [toLimitText(maxCostPerDay, hoursToLimit)]),
    ...(simulated ? ['these are the tokens of the simulator; a real model counts its own'] : []),
  ];
}

function toLimitText(maxCostPerDay: number, hours: number | null): string {
  const limit = `maxCostPerDay is ${toUsd(maxCostPerDay)}`;
  if (hours === null) return `${limit}: a day stays below it`;
  const time = hours < 1 ? `${(hours * 60).toFixed(1)} min` : `${hours.toFixed(1)} h`;
  return `${limit}: spent after ${time} at the earliest`;
}

function inUsd(micros: number | null): number | null {
  return micros === null ? null : micros / 1_000_000;
}

function toUsd(usd: number): string {
  if (usd >= 1 || usd === 0) return `$${usd.toFixed(2)}`;
  return `$${usd.toFixed(usd >= 0.01 ? 4 : 6)}`;
}

/** Without the noise of division. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 1e6) / 1e6;
}

function toSize(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${Math.round(bytes / 1_000)} KB`;
}

function count(tokens: number): string {
  return tokens.toLocaleString('en');
}

/** One line, however long an answer is. */
function cut(text: string, columns: number): string {
  const line = toLine(text);
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}

function toLine(text: string): string {
  return toScreenText(text).replace(/\s*\n\s*/g, ' ');
}
