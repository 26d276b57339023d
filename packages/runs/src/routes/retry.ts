import { type Route, reply, Type, toRoute } from '@waymark/contract';
import type { DurableRunner } from '../durable-runner.ts';
import { decidedAnswer, forkAnswer, waitingAnswer } from './run-schemas.ts';

/** Goes on with a run that failed; answered with what comes of it. */
export function retryRoute(runner: () => Pick<DurableRunner, 'retry'>): Route {
  return toRoute(
    'POST',
    '/runs/{id}/retry',
    {
      kind: 'control',
      // The run it continues has its own deadline.
      durability: 'run',
      answer: ({ input: { id }, principal }) => runner().retry(String(id), principal),
    },
    {
      plane: 'control',
      summary: 'Goes on with a run that failed, from its journal, and answers what comes of it.',
      placement: 'owner',
      output: { 200: decidedAnswer, 202: waitingAnswer },
      facts: { fails: [404, 409, 502], client: 'runs.retry' },
    },
  );
}

/** Begins another run with what one had done before a step. */
export function forkRoute(runner: () => Pick<DurableRunner, 'fork'>): Route {
  const input = {
    at: Type.Integer({ minimum: 1, description: 'the seq of the first step that is not taken over' }),
  };
  return toRoute(
    'POST',
    '/runs/{id}/fork',
    {
      kind: 'control',
      answer: async ({ input: { id, at }, principal, request }) => {
        const from = String(id);
        const runId = await runner().fork(from, Number(at), principal);
        const answer = { run_id: runId, status: 'running', forked_from: from, at: Number(at) };
        return reply(202, answer, { location: `${request.path.slice(0, -`${from}/fork`.length)}${runId}` });
      },
    },
    {
      plane: 'control',
      summary: 'Begins a run with what another one had done before a step.',
      placement: 'owner',
      input,
      output: { 202: forkAnswer },
      facts: {
        fails: [404, 409],
        sends: { Location: 'Where the new run is shown.' },
        client: 'runs.fork',
      },
    },
  );
}
