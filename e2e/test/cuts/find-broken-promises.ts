import { isDeepStrictEqual } from 'node:util';
import { tools } from './declare-desk.ts';
import type { Arrival } from './effects.ts';
import type { Played } from './play-talks.ts';
import type { Reading, Step, Turn } from './turn-reader.ts';

/** Where it is read what is true, and by whom. */
export interface Truth {
  readonly url: string;
  /** Who sent the turns. */
  readonly apiKey: string;
  /** Who may see every run. */
  readonly adminKey: string;
  readonly arrivals: readonly Arrival[];
}

/** What came of all turns. */
export interface Report {
  /** Each promise that was not kept. */
  readonly broken: readonly string[];
  readonly steps: number;
  /** Runs by their status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Calls of which nobody knows whether they happened. */
  readonly unknown: number;
}

interface RunDetail {
  readonly steps: readonly CallStep[];
  readonly runs: readonly RunDetail[];
}

interface CallStep extends Step {
  /** Why a human is asked. */
  readonly reason?: string;
  readonly arguments?: { readonly job?: string; readonly n?: number };
}

interface Answer {
  readonly status: number;
  // As JSON comes.
  readonly value: { readonly [member: string]: unknown };
}

/** Holds what was told of turns against what is stored of them, and against what they did. */
export async function findBrokenPromises(played: Played, truth: Truth): Promise<Report> {
  const broken = played.lost.map(({ key }) => `${key}: never told to its end`);
  const [statuses, all]: [Record<string, number>, CallStep[]] = [{}, []];
  for (const [turn, reading] of played.readings) {
    const { runId, endings, faults } = reading;
    broken.push(...faults.map((fault) => `${turn.key}: ${fault}`));
    if (runId === undefined) broken.push(`${turn.key}: never told of its run`);
    const status = endings[0]?.result.status ?? 'none';
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (endings.length !== 1) broken.push(`${turn.key}: ${endings.length} results`);
    const steps = toSteps((await get(truth, truth.adminKey, `/_svc/runs/${runId}`)).value);
    all.push(...steps);
    broken.push(...compareSteps(turn, reading, steps), ...(await compareEnd(turn, reading, truth)));
  }
  broken.push(...(await compareRuns(played, truth)), ...compareEffects(all, truth.arrivals));
  const unknown = all.filter(isUnknown).length;
  return { broken, steps: all.length, statuses, unknown };
}

async function get({ url }: Truth, apiKey: string, path: string): Promise<Answer> {
  const response = await fetch(url + path, { headers: { 'x-api-key': apiKey } });
  return { status: response.status, value: (await response.json()) as Answer['value'] };
}

/** Of a run and of all below it, in the order of their numbers. */
function toSteps({ steps = [], runs = [] }: Partial<RunDetail>): CallStep[] {
  return [...steps, ...runs.flatMap(toSteps)].sort((a, b) => a.seq - b.seq);
}

function compareSteps({ key }: Turn, { steps: told }: Reading, stored: readonly Step[]): readonly string[] {
  const [heard, there] = [told, stored].map((steps) => steps.map(({ seq }) => seq));
  if (!isDeepStrictEqual(heard, there)) return [`${key}: was told ${String(heard)}, of ${String(there)}`];
  const others = told.filter((step, i) => !isDeepStrictEqual(step, stored[i]));
  return others.map((step) => `${key}: was told another step ${JSON.stringify(step)}`);
}

async function compareEnd(turn: Turn, { runId, endings }: Reading, truth: Truth): Promise<readonly string[]> {
  const [ending] = endings;
  if (!ending) return [];
  const { status, value } = await get(truth, truth.apiKey, `/agents/${turn.agent}/runs/${runId}`);
  const { run, detail, code } = value;
  const stored =
    status === 200
      ? { result: value }
      : { result: run, problem: { status, detail, ...(code !== undefined && { code }) } };
  return isDeepStrictEqual({ ...ending }, stored)
    ? []
    : [`${turn.key}: was told ${JSON.stringify(ending)}, and stored is ${status} ${JSON.stringify(value)}`];
}

/** As many runs as turns, and the same. */
async function compareRuns({ readings, lost }: Played, truth: Truth): Promise<readonly string[]> {
  const stored: string[] = [];
  for (let after = ''; ; after = `&after=${stored.at(-1)}`) {
    const { value } = await get(truth, truth.adminKey, `/_svc/runs?limit=500${after}`);
    const runs = value['runs'] as readonly { readonly run_id: string }[];
    stored.push(...runs.map(({ run_id: id }) => id));
    if (runs.length < 500) break;
  }
  const told = new Set([...readings.values()].map(({ runId }) => runId));
  const others = stored.filter((id) => !told.has(id));
  const turns = readings.size + lost.length;
  return stored.length === turns
    ? []
    : [`${stored.length} runs of ${turns} turns, nobody was told of ${others.join(', ')}`];
}

/** Whether nobody knows what came of a call: its process was killed. */
function isUnknown({ kind, error }: Step): boolean {
  return kind === 'tool_call' && error?.includes('may or may not have happened') === true;
}

/** What was done, against what is recorded of it. */
function compareEffects(steps: readonly CallStep[], arrivals: readonly Arrival[]): readonly string[] {
  const [arrived, recorded] = [groupBy(arrivals, nameOf), groupBy(steps.filter(acts), nameOfStep)];
  const broken: string[] = [];
  for (const [name, about] of recorded) {
    const keys = (arrived.get(name) ?? []).map(({ key }) => key);
    const [least, most] = timesOf(about);
    if (keys.length < least || keys.length > most)
      broken.push(`${name} happened ${keys.length} times: ${JSON.stringify(about)}`);
    if (keys.includes(null) || new Set(keys).size > 1) broken.push(`${name} had the keys ${keys.join(', ')}`);
  }
  const others = [...arrived.keys()].filter((name) => !recorded.has(name));
  return [...broken, ...others.map((name) => `${name} happened, and no step says so`)];
}

function groupBy<T>(all: readonly T[], toName: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = toName(one);
    const group = groups.get(name) ?? [];
    group.push(one);
    groups.set(name, group);
  }
  return groups;
}

function nameOf({ tool, job, n }: Pick<Arrival, 'tool' | 'job' | 'n'>): string {
  return `${job}: ${tool} ${n}`;
}

function nameOfStep({ tool = '', arguments: { job = '', n = 0 } = {} }: CallStep): string {
  return nameOf({ tool, job, n });
}

/** Whether a step is of a call that has an effect, or of the question about it. */
function acts({ kind, tool = '' }: CallStep): boolean {
  const named: readonly string[] = [...tools.once, ...tools.keyed];
  return named.includes(tool) && ['tool_call', 'tool_refused', 'approval_requested'].includes(kind);
}

/** How often a call may have happened by what is recorded of it: least and most. */
function timesOf(about: readonly CallStep[]): readonly [number, number] {
  const [call, ...others] = about.filter(({ kind }) => kind !== 'approval_requested');
  // It is recorded once, and fails for no other reason.
  if (!call || others.length > 0) return [Number.NaN, -1];
  const repeats = (tools.keyed as readonly string[]).includes(call.tool ?? '');
  const wasInterrupted = about.some(({ reason }) => reason?.includes('it may have happened'));
  if (call.kind === 'tool_refused') return [0, wasInterrupted ? 1 : 0];
  if (isUnknown(call)) return [0, 1];
  return call.error === undefined ? [1, repeats ? Number.POSITIVE_INFINITY : 1] : [Number.NaN, -1];
}
