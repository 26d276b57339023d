import Type from 'typebox';
import type { EngineContext } from '../engine/engine.ts';
import { HTTPError } from '../engine/http-error.ts';
import type { Json } from '../engine/json.ts';
import type { Progress } from '../engine/message.ts';
import { eventStreamType } from '../http/event-stream-text.ts';
import type { OutputShape } from '../route/handler.ts';
import type { Route } from '../route/route.ts';
import type { RouteFacts } from '../route/route-facts.ts';
import { toRoute } from '../route/to-route.ts';
import type { RunOutcome } from './run.ts';

/**
 * Answers whoever called an agent, a behaviour or a flow from inside a run (decision 6.6): with its output alone where it
 * completed. Agents and flows can go on with less and read `{status, output}`; for code it is an error.
 *
 * @throws {HTTPError} 502 it did not complete
 */
export function answerInside({ via, route }: EngineContext, outcome: RunOutcome<Json>): Json {
  const { status } = outcome;
  const output = 'value' in outcome ? outcome.value : null;
  // A flow reads how it ended in any case: an output may look like an end.
  if (via === 'flow') return { status, output };
  if (status === 'completed') return output;
  if (via === 'agent') return { status, output };
  const { name, facts } = route;
  throw new HTTPError(502, `${facts.startsRun ?? 'run'} "${name}" ended ${status}`, { code: status });
}

/** Says where the answer of a run will be. @param path of the request that started it */
export function toRunPath(path: string, runId: string): string {
  return `${folderOf(path)}/runs/${runId}`;
}

/** Facts of what starts runs. The dispatcher says where the answer will be: it is so for every engine. */
export const runFacts = {
  fails: [409, 502],
  sends: { Location: 'With 202 and 503: where the answer will be.' },
} as const satisfies RouteFacts;

/** What the route that answers for a run needs to know of the one that started it. */
export interface RunAnswerOptions {
  /** Of the route that starts runs. */
  readonly name: string;
  readonly exposeAt: string;
  readonly exposeScopes: readonly string[];
  readonly declaredAt: string;
  readonly output: OutputShape;
}

/** `GET <path>/runs/{run_id}`: where a run that waits says that its answer will be (decision 8). Streams steps, too. */
export function runAnswerRoute(options: RunAnswerOptions): Route {
  const { name, exposeAt, exposeScopes, declaredAt, output } = options;
  const answer = async (context: EngineContext): Promise<unknown> => {
    // Validated by the schemas below.
    const { run_id: runId, last_seq: lastSeq = 0 } = context.input as { run_id: string; last_seq?: number };
    if (wantsEvents(context)) await relay(context.followRun(runId, name, seqOf(context) ?? lastSeq), context);
    return context.readRun(runId, name);
  };
  return toRoute(
    'GET',
    `${folderOf(exposeAt)}/runs/{run_id}`,
    // Whoever follows a run has as long as the run has: it may wait for a human far beyond any deadline.
    { kind: 'handler', durability: 'run', answer },
    {
      ...{ scopes: exposeScopes, declaredAt, placement: 'owner', progress: true },
      summary: `Gives the answer of a run of ${name} to whoever started it.`,
      input: { run_id: Type.String(), last_seq: Type.Optional(Type.Integer({ minimum: 0 })) },
      output,
      facts: { fails: [409, 502] },
    },
  );
}

/** A path that ends with a slash is the folder itself. */
function folderOf(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function wantsEvents({ request }: EngineContext): boolean {
  return request.headers['accept']?.includes(eventStreamType) ?? false;
}

/** The last event that a client has seen, as browsers say it. */
function seqOf({ request }: EngineContext): number | undefined {
  const id = request.headers['last-event-id'];
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/**
 * Tells what happens in a run to whoever listens to a call, at their pace: nothing is kept for a slow reader. The answer
 * itself comes from the run.
 */
export async function relay(
  events: AsyncIterable<Progress>,
  listener: Pick<EngineContext, 'observe' | 'room'>,
): Promise<void> {
  for await (const event of events) {
    if (event.event === 'result') return;
    listener.observe(event);
    await listener.room();
  }
}
