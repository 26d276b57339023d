import { Type } from '@waymark/contract';
import {
  runStepSchema,
  runUsageSchema,
  runWaitSchema,
  waitingSchemas,
  waitingStatusSchema,
} from '@waymark/contract/runs';

const closed = { additionalProperties: false };

/** What rows of runs say, and what their list can be asked for. */
export const shownStatuses = [
  'running',
  'awaiting_approval',
  'waiting_provider',
  'completed',
  'halted',
  'max_tokens',
  'step_limit',
  'budget_exhausted',
  'failed',
  'cancelled',
] as const;

/** The status of a run, as its row says it. */
export type ShownStatus = (typeof shownStatuses)[number];

const words = (...all: readonly string[]) => Type.Union(all.map((word) => Type.Literal(word)));
const atMs = Type.Integer({ minimum: 0, description: 'Epoch milliseconds.' });
const runKind = words('agent', 'behaviour', 'flow');

const runStatus = words(...shownStatuses);

const runMembers = {
  run_id: Type.String(),
  kind: runKind,
  name: Type.String({ description: 'Of the agent, behaviour or flow.' }),
  status: runStatus,
  caller: Type.String({ description: 'The root principal that started it.' }),
  via: Type.Union([words('http', 'mcp', 'socket', 'agent', 'behaviour', 'flow', 'watcher'), Type.Null()], {
    description: 'The door it came through; null for runs below others.',
  }),
  created_at_ms: atMs,
  ended_at_ms: Type.Union([atMs, Type.Null()]),
  duration_ms: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'From its begin to its end, waiting included; null while it goes on.',
  }),
  step_count: Type.Integer({ minimum: 0, description: 'Of the run and all below it.' }),
  tokens: Type.Integer({ minimum: 0, description: 'The same: input and output.' }),
  cost_usd: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description: 'The same: null where a model has no price.',
  }),
  error: Type.Union([
    Type.Object({ code: Type.String(), message: Type.String(), status: Type.Integer() }, closed),
    Type.Null(),
  ]),
};

/** `GET /runs`: roots, newest first (decision 8). */
export const runsAnswer = Type.Object(
  { runs: Type.Array(Type.Object(runMembers, { ...closed, title: 'RunRow' })) },
  closed,
);

/** `GET /runs/{id}`: a run, and all that is below it in the same form. */
export const runAnswer = Type.Cyclic(
  {
    RunDetail: Type.Object(
      {
        ...runMembers,
        path: Type.Array(Type.String(), { description: 'Its name, then the agents it was handed over to.' }),
        depth: Type.Integer({ minimum: 0, description: '0 for a root.' }),
        input: Type.Unknown({ description: 'What its route was called with; null for runs below others.' }),
        output: Type.Unknown({ description: 'Null while there is none.' }),
        steps: Type.Array(runStepSchema),
        waits: Type.Array(runWaitSchema, { description: 'Its steps that are tried again later.' }),
        usage: runUsageSchema,
        runs: Type.Array(Type.Ref('RunDetail'), { description: 'Those it started.' }),
      },
      closed,
    ),
  },
  'RunDetail',
);

/** `GET /runs/{id}/steps`. */
export const stepsAnswer = Type.Object(
  {
    steps: Type.Array(runStepSchema),
    last_seq: Type.Integer({ minimum: 0, description: 'The number given last.' }),
    next: Type.Optional(Type.Integer({ description: 'Present when there is more: ask again with `after`.' })),
  },
  closed,
);

/** `POST /runs/{id}/cancel`. */
export const cancelAnswer = Type.Object({ run_id: Type.String(), status: Type.Literal('cancelled') }, closed);

/** `POST /runs/{id}/fork`. */
export const forkAnswer = Type.Object(
  {
    run_id: Type.String({ description: 'Of the new run.' }),
    status: Type.Literal('running'),
    forked_from: Type.String(),
    at: Type.Integer(),
  },
  { ...closed, title: 'ForkedRun' },
);

/** `GET /approvals`: what waits for a human, oldest first (decision 8). */
export const approvalsAnswer = Type.Object(
  {
    approvals: Type.Array(
      Type.Object(
        {
          approval_id: Type.String(),
          run_id: Type.String(),
          root_run_id: Type.String(),
          kind: runKind,
          agent: Type.String({ description: 'Who asks.' }),
          path: Type.Array(Type.String(), { description: 'From the root to the one that asks.' }),
          caller: Type.String({ description: 'The root principal that started the run.' }),
          tool: Type.String(),
          arguments: Type.Unknown({ description: 'What the tool is to be called with.' }),
          reason: Type.Optional(Type.String()),
          requested_at_ms: atMs,
          expires_at_ms: atMs,
          age_secs: Type.Integer({ minimum: 0 }),
          status: words('pending', 'approved', 'denied', 'expired', 'withdrawn'),
          decided_by: Type.Union([Type.String(), Type.Null()]),
          decided_at_ms: Type.Union([atMs, Type.Null()]),
          note: Type.Optional(Type.String({ description: 'Of whoever decided.' })),
        },
        { ...closed, title: 'ApprovalRow' },
      ),
    ),
  },
  closed,
);

/** `GET /waits`: steps that are tried again later. */
export const waitsAnswer = Type.Object(
  {
    waits: Type.Array(
      Type.Object(
        {
          wait_id: Type.String(),
          root_run_id: Type.String(),
          ...runWaitSchema.properties,
        },
        { ...closed, title: 'WaitRow' },
      ),
    ),
  },
  closed,
);

/**
 * `POST /approvals/{id}` and `POST /runs/{id}/retry`, 200: what came of the run, as its own route answers it. An agent and a flow answer an object
 * with `run_id` and `status`, a behaviour whatever its function gives.
 */
export const decidedAnswer = Type.Union(
  [
    Type.Object({ run_id: Type.String(), status: runStatus }, { title: 'DecidedRun' }),
    Type.Record(Type.String(), Type.Unknown()),
    Type.Array(Type.Unknown()),
    ...[Type.String(), Type.Number(), Type.Boolean(), Type.Null()],
  ],
  {
    description:
      'The answer of the route that started the run: of an agent or a flow its result, else a value.',
  },
);

/** `POST /approvals/{id}` and `POST /runs/{id}/retry`, 202: the run waits again, or goes on at an instance of a newer release. */
export const waitingAnswer = Type.Object(
  {
    run_id: Type.String(),
    status: Type.Union([...waitingStatusSchema.anyOf, Type.Literal('running')]),
    detail: Type.Optional(Type.String({ description: 'Of one that is running: where it goes on.' })),
    ...waitingSchemas,
  },
  { title: 'WaitingRun' },
);
