import { type Route, Type, toRoute } from '@waymark/contract';
import { toWireWait } from '@waymark/contract/runs';
import { idPattern } from '@waymark/contract/schema';
import type { RunStore, Wait } from '@waymark/contract/stores';
import { waitsAnswer } from './run-schemas.ts';

const largestPage = 500;

/** Of a step: the id of its root, and a number for each run on the way down and for itself. */
const waitIdPattern = `${idPattern.slice(0, -1)}(\\.[0-9]{1,9}){1,9}$`;

/** Lists steps that are tried again later, by the ids of their runs: those that began first come first. */
export function waitsRoute(store: RunStore): Route {
  const input = {
    after: Type.Optional(
      Type.String({ pattern: waitIdPattern, description: 'the wait_id of the last row seen' }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: largestPage, default: 100 }),
  };
  return toRoute(
    'GET',
    '/waits',
    {
      kind: 'control',
      answer: async ({ input: { after, limit } }) => {
        const waits = await store.waits({
          limit: Number(limit),
          ...(after !== undefined && { after: String(after) }),
        });
        return { waits: waits.map(toWaitRow) };
      },
    },
    {
      plane: 'control',
      summary: 'Lists steps of runs that are tried again later.',
      placement: 'owner',
      input,
      // A misspelt filter would show everything that waits.
      strictQuery: true,
      output: waitsAnswer,
      facts: { client: 'waits.list' },
    },
  );
}

function toWaitRow(wait: Wait) {
  return {
    wait_id: `${wait.runId}.${wait.seq}`,
    root_run_id: wait.rootId,
    ...toWireWait(wait),
  };
}
