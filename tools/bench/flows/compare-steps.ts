import { join } from 'node:path';
import { type Child, startChild } from '../agents/child.ts';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { serverCore } from '../lib/cores.ts';
import type { Goal } from '../lib/goals.ts';
import type { Form } from './work.ts';
import type { ShiftCost } from './worker.ts';

const turnMs = 700;

/** Runs at once. */
const inFlight = 8;

const forms: readonly Form[] = ['pipeline', 'parallel', 'behaviour'];

const ours = 'waymark';

const contestants: readonly { readonly name: string; readonly file: string; readonly peer?: boolean }[] = [
  { name: 'plain', file: 'contestants/plain.ts' },
  { name: ours, file: 'contestants/waymark.ts' },
  { name: 'mastra memory', file: '../agents/peers/mastra-memory.mjs', peer: true },
  { name: 'mastra file', file: '../agents/peers/mastra-file.mjs', peer: true },
];

/** Lets everybody make the same calls, and shows what one of them takes in each form. */
export async function compareSteps(folder: string, rounds: number): Promise<readonly Goal[]> {
  const children = new Map<string, Child<ShiftCost>>();
  try {
    for (const { name, file, peer } of contestants) {
      try {
        const args = [join(import.meta.dirname, file), folder];
        children.set(name, await startChild(serverCore, join(import.meta.dirname, 'worker.ts'), args));
      } catch (error) {
        if (!peer) throw error;
        console.log(`${name} is not run: ${String(error)}`);
      }
    }
    const costs = new Map<Form, ReadonlyMap<string, number>>();
    for (const form of forms) costs.set(form, await compare(children, form, rounds));
    show(costs);
    return goalsOf(costs);
  } finally {
    await Promise.all([...children.values()].map((child) => child.stop()));
  }
}

function compare(
  children: ReadonlyMap<string, Child<ShiftCost>>,
  form: Form,
  rounds: number,
): Promise<ReadonlyMap<string, number>> {
  const taking = [...children].filter(([, { ready }]) => ready.forms.includes(form));
  return bestOfRounds(
    taking.map(([name, child]) => ({
      name,
      measure: async () => (await child.ask({ form, ms: turnMs, inFlight })).stepMicros,
    })),
    rounds,
  );
}

function show(costs: ReadonlyMap<Form, ReadonlyMap<string, number>>): void {
  console.log(`\n${'CPU of one step'.padEnd(16)}${forms.map((form) => form.padStart(14)).join('')}`);
  for (const { name } of contestants) {
    const cells = forms.map((form) => costs.get(form)?.get(name));
    const texts = cells.map((cost) => (cost === undefined ? '–' : `${cost.toFixed(1)} µs`).padStart(14));
    console.log(`${name.padEnd(16)}${texts.join('')}`);
  }
}

function goalsOf(costs: ReadonlyMap<Form, ReadonlyMap<string, number>>): readonly Goal[] {
  const of = (form: Form, name: string): number => costs.get(form)?.get(name) ?? Number.NaN;
  const times = (form: Form, peer: string): number => of(form, peer) / of(form, ours);
  for (const form of ['pipeline', 'parallel'] as const)
    console.log(`${form}: ${times(form, 'mastra memory').toFixed(1)} × mastra without storage`);
  const goal = (form: Form): Goal => ({
    name: `flows-${form}-times-mastra`,
    measured: times(form, 'mastra file'),
    op: '>=',
    target: 5,
  });
  // A behaviour is code: a workflow in a row comes nearest to it.
  const code: Goal = {
    name: 'flows-behaviour-times-mastra',
    measured: of('pipeline', 'mastra file') / of('behaviour', ours),
    op: '>=',
    target: 5,
  };
  return [goal('pipeline'), goal('parallel'), code];
}
