import { HTTPError, type Route, Type, toRoute } from '@waymark/contract';
import type { Runner } from '@waymark/contract/runs';
import { idPattern } from '@waymark/contract/schema';
import type { RunStore } from '@waymark/contract/stores';
import { RunTree } from '../journal/run-tree.ts';
import { toFilter, toRunDetail, toRunRow } from './run-row.ts';
import { cancelAnswer, runAnswer, runsAnswer, type ShownStatus, shownStatuses } from './run-schemas.ts';

const largestPage = 500;

/** Lists roots, newest first. */
export function runsRoute(store: RunStore): Route {
  const input = {
    status: Type.Optional(Type.Enum([...shownStatuses])),
    after: Type.Optional(Type.String({ pattern: idPattern, description: 'the run_id of the last row seen' })),
    limit: Type.Integer({ minimum: 1, maximum: largestPage, default: 100 }),
  };
  return toRoute(
    'GET',
    '/runs',
    {
      kind: 'control',
      answer: async ({ input: { status, after, limit } }) => {
        const runs = await store.list({
          limit: Number(limit),
          // Validated by the schema above.
          ...(status !== undefined && toFilter(status as ShownStatus)),
          ...(after !== undefined && { after: String(after) }),
        });
        return { runs: runs.map(toRunRow) };
      },
    },
    {
      plane: 'control',
      summary: 'Lists runs, newest first.',
      placement: 'owner',
      input,
      // A misspelt filter would show everything.
      strictQuery: true,
      output: runsAnswer,
      facts: { client: 'runs.list' },
    },
  );
}

/** Shows one root with its tree: steps, tokens and cost. */
export function runRoute(store: RunStore): Route {
  return toRoute(
    'GET',
    '/runs/{id}',
    {
      kind: 'control',
      answer: async ({ input }) => {
        const id = String(input['id']);
        const tree = RunTree.from(id, await store.load(id));
        if (!tree) throw new HTTPError(404, `no run ${id}`);
        return toRunDetail(tree);
      },
    },
    {
      plane: 'control',
      summary: 'Shows a run with its tree, steps, tokens and cost.',
      placement: 'owner',
      output: runAnswer,
      facts: { client: 'runs.get' },
    },
  );
}

/** Cancels a root and everything below it. */
export function cancelRoute(runner: () => Runner): Route {
  return toRoute(
    'POST',
    '/runs/{id}/cancel',
    {
      kind: 'control',
      answer: async ({ input, principal }) => {
        const id = String(input['id']);
        await runner().cancel(id, principal);
        return { run_id: id, status: 'cancelled' };
      },
    },
    {
      plane: 'control',
      summary: 'Cancels a run.',
      placement: 'owner',
      output: cancelAnswer,
      facts: { fails: [409], client: 'runs.cancel' },
    },
  );
}
