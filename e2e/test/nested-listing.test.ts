import type { Values } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { Loaded } from './kills/kill-series.ts';
import { endure } from './nested/endure.ts';
import { nestedShapes } from './nested/shapes.ts';
import { boss, type Engine, json } from './runs/engine.ts';

/** A run in the listing, with everything below it. */
interface Row {
  readonly run_id: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly depth: number;
  readonly caller: string;
  /** Its name, then those it was handed over to. */
  readonly path: readonly string[];
  readonly runs: readonly Row[];
}

/** An approval in the listing. */
type Waits = { readonly run_id: string; readonly path: readonly string[] } & Values;

const list = async <T>(engine: Engine, route: string, values: Values = {}): Promise<T> =>
  json<T>(await engine.call(route, values, { principal: boss }));

const flat = (row: Row): readonly Row[] => [row, ...row.runs.flatMap(flat)];

/** Compares what is listed of a root that waits with what is stored of it. @returns the ways to those who ask */
async function checkListed(
  engine: Engine,
  { runs, approvals }: Loaded,
): Promise<readonly (readonly string[])[]> {
  const root = runs[0]!;
  const { runs: roots } = await list<{ runs: readonly Row[] }>(engine, 'get_svc_runs');
  expect(roots.map((row) => [row.run_id, row.status])).toEqual([[root.runId, 'awaiting_approval']]);
  const detail = await list<Row>(engine, 'get_svc_runs_by_id', { id: root.runId });
  const listed = flat(detail);
  expect(listed.map((row) => row.run_id).toSorted()).toEqual(runs.map(({ runId }) => runId).toSorted());
  for (const row of listed) {
    expect(row.depth).toBe(row.run_id.split('.').length - 1);
    expect(row.caller).toBe('desk');
    for (const below of row.runs) expect(below.run_id.startsWith(`${row.run_id}.`)).toBe(true);
  }
  const pending = approvals.filter(({ status }) => status === 'pending');
  const { approvals: waiting } = await list<{ approvals: readonly Waits[] }>(engine, 'get_svc_approvals');
  expect(waiting).toHaveLength(pending.length);
  for (const row of waiting) {
    const run = listed.find(({ run_id: id }) => id === row.run_id)!;
    const above = row.run_id.split('.').map((_, i, parts) => parts.slice(0, i + 1).join('.'));
    const path = above.flatMap((id) => listed.find((one) => one.run_id === id)?.path ?? []);
    for (const id of above) expect(listed.find((one) => one.run_id === id)?.status).toBe('awaiting_approval');
    expect(row).toMatchObject({ root_run_id: root.runId, kind: run.kind, caller: 'desk' });
    // Whoever it was handed over to asks for itself.
    expect([row['agent'], row.path]).toEqual([path.at(-1), path]);
  }
  return waiting.map(({ path }) => path);
}

/** Who asks, by the name of the shape, from the root on. */
const askers: Readonly<Record<string, readonly string[]>> = {
  'depth 7': Array.from({ length: 8 }, (_, depth) => `floor_${depth}`),
  'agent, flow, behaviour, agent, gate': ['top', 'middle', 'lower', 'bottom'],
  'a parallel flow with two gates': ['wide', 'clerk'],
  'a handoff, then a gate': ['desk', 'clerk'],
};

describe('the listings of a nested run that waits', () => {
  it.each(nestedShapes.map((shape) => ({ shape, name: shape.name })))(
    'show one tree, and who asks in which of its runs: $name',
    async ({ shape, name }) => {
      verifies('approval.listing.members', 'run.listing', 'run.detail', 'state.run.waiting-listed');
      const paths: (readonly string[])[] = [];
      await endure({
        ...{ shape, policy: 'approve' },
        onWait: async (engine, loaded) => void paths.push(...(await checkListed(engine, loaded))),
      });
      const asker = askers[name];
      if (asker) expect(paths).toContainEqual(asker);
    },
  );
});
