import Type from 'typebox';
import type { EngineContext } from '../engine/engine.ts';
import { HTTPError } from '../engine/http-error.ts';
import type { Json } from '../engine/json.ts';
import type { Progress } from '../engine/message.ts';
import { wantsEvents } from '../http/wants-events.ts';
import type { OutputShape } from '../route/handler.ts';
import type { Route } from '../route/route.ts';
import type { RouteFacts } from '../route/route-facts.ts';
import { toRoute } from '../route/to-route.ts';
import { type RunPlace, toRunPlace } from './event-id.ts';
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
    if (!wantsEvents(context.request.headers['accept'])) return context.readRun(runId, name);
    const { seq, ended } = placeOf(context, runId) ?? { seq: lastSeq, ended: false };
    const events = context.followRun(runId, name, seq);
    const id = await relay(ended ? newOnes(events) : events, context);
    // Who was told the end comes back all the same, as browsers do: 204 is what keeps them from asking again.
    if (ended && id === undefined) return undefined;
    const response = await context.readRun(runId, name);
    if (id !== undefined) context.observe({ event: 'result', data: null, id });
    return response;
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
      facts: { fails: [409, 502], reads: { 'Last-Event-ID': lastEventId } },
    },
  );
}

const lastEventId =
  'The id of the last event that was seen, for `Accept: text/event-stream`: what follows is told. ' +
  'Answers 204 when nothing does, since that was the end.';

/** A path that ends with a slash is the folder itself. */
function folderOf(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Where a client has read to, as browsers say it. */
function placeOf({ request }: EngineContext, runId: string): RunPlace | undefined {
  const id = request.headers['last-event-id'];
  return id === undefined ? undefined : toRunPlace(id, runId);
}

/** All events, or none where the run has ended and nothing comes before its answer. */
async function* newOnes(events: AsyncIterable<Progress>): AsyncGenerator<Progress> {
  const held: Progress[] = [];
  let isNew = false;
  for await (const event of events) {
    isNew ||= event.event !== 'run' && event.event !== 'result';
    if (!isNew && event.event === 'result') return;
    if (!isNew) held.push(event);
    else yield* [...held.splice(0), event];
  }
}

/**
 * Tells what happens in a run to whoever listens to a call, at their pace: nothing is kept for a slow reader. The answer
 * itself comes from the run.
 *
 * @returns the id of the answer, if the run has ended
 */
export async function relay(
  events: AsyncIterable<Progress>,
  listener: Pick<EngineContext, 'observe' | 'room'>,
): Promise<Progress['id']> {
  for await (const event of events) {
    if (event.event === 'result') return event.id;
    listener.observe(event);
    await listener.room();
  }
  return undefined;
}
