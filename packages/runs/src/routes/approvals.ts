import { type Route, Type, toRoute } from '@waymark/contract';
import type { Runner } from '@waymark/contract/runs';
import { idPattern } from '@waymark/contract/schema';
import type { Approval, RunStore } from '@waymark/contract/stores';
import { toApprovalRow } from './run-row.ts';
import { approvalsAnswer, decidedAnswer, waitingAnswer } from './run-schemas.ts';

const largestPage = 500;

type AskedStatus = Approval['status'] | 'decided';

const statuses: readonly AskedStatus[] = [
  ...(['pending', 'approved', 'denied', 'expired', 'withdrawn', 'decided'] as const),
];

/** Lists what waits for a human, oldest first; or what was decided, newest first. */
export function approvalsRoute(store: RunStore, now: () => number): Route {
  const input = {
    status: Type.Enum([...statuses], {
      default: 'pending',
      description: '`decided` is all but pending, the newest first.',
    }),
    after: Type.Optional(
      Type.String({ pattern: idPattern, description: 'the approval_id of the last row seen' }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: largestPage, default: 100 }),
  };
  return toRoute(
    'GET',
    '/approvals',
    {
      kind: 'control',
      answer: async ({ input: { status, after, limit } }) => {
        const approvals = await store.approvals({
          // Validated by the schema above.
          status: status as AskedStatus,
          limit: Number(limit),
          ...(after !== undefined && { after: String(after) }),
        });
        const nowMs = now();
        return { approvals: approvals.map((approval) => toApprovalRow(approval, nowMs)) };
      },
    },
    {
      plane: 'control',
      summary: 'Lists calls that wait for a human.',
      placement: 'owner',
      input,
      // A misspelt filter would show everything that waits.
      strictQuery: true,
      output: approvalsAnswer,
      facts: { client: 'approvals.list' },
    },
  );
}

/** Decides on a call; answered with what comes of the run. */
export function approvalRoute(runner: () => Runner): Route {
  const input = { approve: Type.Boolean(), note: Type.String({ default: '', maxLength: 10_000 }) };
  return toRoute(
    'POST',
    '/approvals/{id}',
    {
      kind: 'control',
      // The run it continues has its own deadline.
      durability: 'run',
      answer: ({ input: { id, approve, note }, principal }) =>
        runner().decide(String(id), { approve: approve === true, note: String(note), by: principal }),
    },
    {
      plane: 'control',
      summary: 'Decides on a call that waits for a human, and answers what comes of the run.',
      placement: 'owner',
      input,
      output: { 200: decidedAnswer, 202: waitingAnswer },
      facts: { fails: [404, 409, 410, 502], client: 'approvals.decide' },
    },
  );
}
