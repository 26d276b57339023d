import { brokenAtMost, isPassing, pause, shortestPauseMs } from './breaks.ts';
import { type CallOptions, type ClientOptions, type JsonObject, ProblemError } from './options.ts';
import {
  eventStream,
  mediaTypeOf,
  type Operation,
  parseData,
  type ReadAnswer,
  readEvents,
  request,
  send,
  toEnd,
  toResult,
  toTarget,
  toText,
  withoutEnd,
} from './requests.ts';
import type {
  BehaviourClient,
  RunBegun,
  RunClient,
  RunDelta,
  RunEvent,
  RunStep,
  RunWaiting,
} from './run-types.ts';

/** Gives an agent, behaviour or flow by the path of its route, without a socket. */
export function connectRuns(client: ClientOptions) {
  return <I, O>(path: string, timeoutMs: number): RunClient<I, O> => {
    const about = { path, progress: true, timeoutMs } as const;
    const start: Operation = { ...about, method: 'POST', members: true };
    const later: Operation = { ...about, method: 'GET', path: `${path}/runs/{run_id}`, retry: true };
    const read = (place: RunPlace, input: JsonObject, options: CallOptions) =>
      readRun<O>({ client, start, later, input, place, options });
    // The route table says what the service takes and answers; this is where its word becomes a type.
    return {
      run: (...[input = {}, options = {}]) => send(client, start, input as JsonObject, options) as Promise<O>,
      answer: (runId, options = {}) => send(client, later, { run_id: runId }, options) as Promise<O>,
      stream: (...[input = {}, options = {}]) =>
        read({ runId: undefined, seq: 0 }, input as JsonObject, options),
      follow: (runId, { lastSeq = 0, ...options } = {}) => read({ runId, seq: lastSeq }, {}, options),
    };
  };
}

export function toBehaviour<I, O>({ run, ...others }: RunClient<I, O>): BehaviourClient<I, O> {
  return Object.assign(run, others);
}

/** Which run is read, and behind which of its steps. */
export interface RunPlace {
  /** Undefined until it is told, and where nobody may read it. */
  readonly runId: string | undefined;
  readonly seq: number;
}

export interface RunReading {
  readonly client: ClientOptions;
  readonly start: Operation;
  readonly later: Operation;
  readonly place: RunPlace;
  /** Of a run that is started here. */
  readonly input: JsonObject;
  readonly options: CallOptions;
}

/** Reads a run to its result. What was started is never started again: a break before it is named is an error. */
export async function* readRun<O>(reading: RunReading): AsyncGenerator<RunEvent<O>, undefined> {
  const { signal } = reading.options;
  let { place } = reading;
  refuseUnsendable(reading);
  let isReadable = true;
  for (let broken = 0; ; broken++) {
    try {
      for await (const event of readConnection<O>({ ...reading, place })) {
        // Without a place where it can be read on, a break is the end.
        if (event.type === 'run') isReadable = event.location !== undefined;
        if (isReadable && event.type === 'run') place = { ...place, runId: event.run_id };
        if (isReadable && event.type === 'step') {
          const [runId] = event.run_id.split('.', 1);
          place = { runId, seq: event.step.seq };
          broken = 0;
        }
        yield event;
        if (event.type === 'result') return;
      }
    } catch (error) {
      if (place.runId === undefined || signal?.aborted || !isPassing(error)) throw error;
      // The service lets go of whoever follows a run that waits.
      if (error instanceof ProblemError && error.status === 504) broken = 0;
      if (broken === brokenAtMost) throw error;
    }
    await pause(shortestPauseMs * 2 ** broken, signal);
  }
}

/** What no request can hold is told at once: it would be taken for a break that may pass. */
export function refuseUnsendable({ later, place: { runId, seq } }: RunReading): void {
  toText('lastSeq', seq, 'header');
  if (runId !== undefined) toTarget(later, { run_id: runId });
}

/** Reads what one connection tells. */
export async function* readConnection<O>(reading: RunReading): AsyncGenerator<RunEvent<O>> {
  const answer = await openConnection(reading);
  const toResultEvent = (result: unknown) => ({ type: 'result', result: result as O }) as const;
  if (mediaTypeOf(answer) !== eventStream) {
    yield toResultEvent(await toResult(reading.start, answer, undefined));
    return;
  }
  for await (const { event, data } of readEvents(answer)) {
    const value = parseData(data, answer);
    if (event === 'step') {
      const step = value as RunStep;
      yield { type: event, run_id: step.run_id, agent: step.agent, step };
    }
    if (event === 'run') yield { type: event, ...(value as Omit<RunBegun, 'type'>) };
    if (event === 'delta') yield { type: event, ...(value as Omit<RunDelta, 'type'>) };
    if (event === 'waiting') yield { type: event, ...(value as Omit<RunWaiting, 'type'>) };
    if (event === 'result' || event === 'error') yield toResultEvent(toEnd(event, value, answer));
  }
  throw withoutEnd(answer);
}

export function openConnection(reading: RunReading): Promise<ReadAnswer> {
  const { client, start, later, place, input, options } = reading;
  const { runId, seq } = place;
  // Whoever listens is sent events.
  const listening = { ...options, onProgress: () => {} };
  if (runId === undefined) return request(client, start, input, listening);
  const headers = { ...options.headers, 'last-event-id': `${encodeURIComponent(runId)}/${seq}` };
  return request(client, later, { run_id: runId }, { ...listening, headers });
}
