import { HTTPError, type Route, Type, toRoute } from '@waymark/contract';
import type { Runner, RunSpec } from '@waymark/contract/runs';
import { idPattern } from '@waymark/contract/schema';
import type { RunStore } from '@waymark/contract/stores';
import { RunTree } from '../journal/run-tree.ts';
import { cutStep, longestShown, shownByDefault } from '../told/cut-value.ts';
import { toPageSteps } from '../told/to-steps.ts';
import { toFilter, toRunDetail, toRunRow } from './run-row.ts';
import {
  cancelAnswer,
  runAnswer,
  runsAnswer,
  type ShownStatus,
  shownStatuses,
  stepsAnswer,
} from './run-schemas.ts';

const largestPage = 500;

/** Lists roots, newest first. */
export function runsRoute(store: RunStore): Route {
  return toRoute(
    'GET',
    '/runs',
    {
      kind: 'control',
      answer: async ({ input }) => {
        // Validated by the schemas below.
        const { status, kind, name, caller, since_ms, until_ms, sort, after, limit } =
          input as unknown as RunsQuery;
        const runs = await store.list({
          limit,
          ...(status !== undefined && toFilter(status)),
          ...(kind !== undefined && { kind }),
          ...(name !== undefined && { name }),
          ...(caller !== undefined && { caller }),
          ...(since_ms !== undefined && { sinceMs: since_ms }),
          ...(until_ms !== undefined && { untilMs: until_ms }),
          ...(sort === '-cost' && { dearest: true }),
          ...(after !== undefined && { after }),
        });
        if (sort === '-cost' && after !== undefined && runs.length === 0) await needRoot(store, after);
        return { runs: runs.map(toRunRow) };
      },
    },
    {
      plane: 'control',
      summary: 'Lists runs, newest first.',
      placement: 'owner',
      input: runsQuery,
      // A misspelt filter would show everything.
      strictQuery: true,
      output: runsAnswer,
      facts: { client: 'runs.list' },
    },
  );
}

/** A place in an order by cost is that of a run: without it nothing tells the end of the list from a run that is gone. */
async function needRoot(store: RunStore, id: string): Promise<void> {
  const heads = await store.heads({ roots: [id], open: 0 });
  if (heads.length === 0) throw new HTTPError(422, `after: no run ${id}`);
}

interface RunsQuery {
  readonly status?: ShownStatus;
  readonly kind?: RunSpec['kind'];
  readonly name?: string;
  readonly caller?: string;
  readonly since_ms?: number;
  readonly until_ms?: number;
  readonly sort: '-created' | '-cost';
  readonly after?: string;
  readonly limit: number;
}

const epochMs = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));
const filterText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 256, description }));

const runsQuery = {
  status: Type.Optional(Type.Enum([...shownStatuses])),
  kind: Type.Optional(Type.Enum(['agent', 'behaviour', 'flow'])),
  name: filterText('Of the agent, behaviour or flow.'),
  caller: filterText('The root principal that started it.'),
  since_ms: epochMs('Begun at this time or later, epoch milliseconds.'),
  until_ms: epochMs('Begun before this time.'),
  sort: Type.Enum(['-created', '-cost'], {
    default: '-created',
    description:
      'Newest first; or of the newest 1,000 that fit, what cost most first, and of what cost the same the newest.',
  }),
  after: Type.Optional(
    Type.String({
      pattern: idPattern,
      description:
        'the run_id of the last row seen; by cost it stands where its cost is now, so a run that still spends may come twice or not at all, and what does not change comes once, if that last run has not changed either',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: largestPage, default: 100 }),
};

const cutQuery = Type.Integer({
  minimum: 64,
  maximum: longestShown,
  default: shownByDefault,
  description:
    'Characters of JSON of each argument and result that are shown; of what is longer, its beginning.',
});

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
        return toRunDetail(tree, Number(input['cut']));
      },
    },
    {
      plane: 'control',
      summary: 'Shows a run with its tree, steps, tokens and cost.',
      placement: 'owner',
      input: { cut: cutQuery },
      strictQuery: true,
      output: runAnswer,
      facts: { client: 'runs.get' },
    },
  );
}

/** Lists the steps of one root and of all below it by their numbers. */
export function stepsRoute(store: RunStore): Route {
  return toRoute(
    'GET',
    '/runs/{id}/steps',
    {
      kind: 'control',
      answer: async ({ input }) => {
        const { id, after, limit, cut } = input as unknown as StepsQuery;
        const page = await store.page(id, after, limit);
        if (!page) throw new HTTPError(404, `no run ${id}`);
        const upto = Math.min(after + limit, page.lastOrd);
        return {
          steps: toPageSteps(page, after, upto).map((step) => cutStep(step, cut)),
          last_seq: page.lastOrd,
          ...(upto < page.lastOrd && { next: upto }),
        };
      },
    },
    {
      plane: 'control',
      summary: 'Lists the steps of a run and of all below it, in their order.',
      placement: 'owner',
      input: {
        after: Type.Integer({
          minimum: 0,
          default: 0,
          description: 'the seq of the last step seen, or `next`',
        }),
        limit: Type.Integer({
          ...{ minimum: 1, maximum: largestPage, default: 100 },
          description: 'How many numbers are looked at: some are no steps.',
        }),
        cut: cutQuery,
      },
      // A misspelt filter would show everything.
      strictQuery: true,
      output: stepsAnswer,
      facts: { client: 'runs.steps' },
    },
  );
}

interface StepsQuery {
  readonly id: string;
  readonly after: number;
  readonly limit: number;
  readonly cut: number;
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
