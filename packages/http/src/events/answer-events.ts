import type { Progress } from '@waymark/contract';
import {
  type Awaitable,
  type Call,
  type Dispatcher,
  type RequestInput,
  RouteResponse,
} from '@waymark/contract/engine';
import { eventStreamType, wantsEvents } from '@waymark/contract/http';
import { EventStream } from './event-stream.ts';
import { toLastEvent, tooSlowEvent } from './last-event.ts';

/** How a route that reports progress is answered. */
export interface EventOptions {
  /** Of silence until a comment, milliseconds. */
  readonly keepAliveMs: number;
  /** Whether the request has arrived to its end: before that it may still be refused. */
  readonly arrived: () => boolean;
  /** Told of an event that cannot be written. */
  readonly report: (error: unknown) => void;
}

/**
 * Dispatches the call of a route that reports progress. Whoever asks for events gets them as they happen, and the answer
 * as the last one: `result`, or `error`, a problem document. What fails before there was anything to say is answered as
 * ever (decision 6.4).
 */
export function answerProgressing(
  dispatcher: Dispatcher,
  call: Call & { readonly input: RequestInput },
  options: EventOptions,
): Awaitable<RouteResponse> {
  const { method, headers } = call.input;
  if (!wantsEvents(headers['accept'])) return after(dispatcher.dispatch(call), varying);
  // A HEAD is never told anything, and works as long as its GET.
  if (method === 'HEAD')
    return after(dispatcher.dispatch(call), (response) =>
      isSuccess(response) ? streaming(new ReadableStream()) : varying(response),
    );
  return dispatchForEvents(dispatcher, call, options);
}

function dispatchForEvents(
  dispatcher: Dispatcher,
  call: Call & { readonly input: RequestInput },
  { keepAliveMs, arrived, report }: EventOptions,
): Promise<RouteResponse> {
  return new Promise((resolve, reject) => {
    const onBegin = (): void => resolve(streaming(events.bytes));
    const tooSlow = (): string => tooSlowEvent(call);
    const events = new EventStream({ keepAliveMs, mayBegin: arrived, onBegin, tooSlow });
    let answerId: Progress['id'];
    const observe = (progress: Progress): void => {
      try {
        if (progress.event === 'result') answerId = progress.id;
        if (!lastEvents.has(progress.event)) events.tell(progress);
      } catch (error) {
        report(error);
      }
    };
    const answer = async (): Promise<void> => {
      const response = await dispatcher.dispatch(observed(call, observe, () => events.room()));
      if (events.begun || (isSuccess(response) && !isOver(call, response)))
        events.end(await toLastEvent(response, call, answerId));
      else {
        events.stop();
        resolve(varying(response));
      }
    };
    answer().catch((error: unknown) => {
      events.fail(error);
      reject(error);
    });
  });
}

/** Said once, by the door: the answer itself follows whatever an engine tells under these names. */
const lastEvents: ReadonlySet<string> = new Set(['result', 'error']);

/** The same call with somebody who listens. Named, since a spread leaves out what a call has from its class. */
function observed(
  call: Call,
  observe: (progress: Progress) => void,
  room: () => Promise<void> | undefined,
): Call {
  return {
    ...call,
    ...{ observe, room },
    get signal(): AbortSignal {
      // The call of a request has one; asking for it makes it.
      return call.signal as AbortSignal;
    },
  };
}

function after(
  given: Awaitable<RouteResponse>,
  next: (response: RouteResponse) => RouteResponse,
): Awaitable<RouteResponse> {
  return given instanceof Promise ? given.then(next) : next(given);
}

function isSuccess({ status }: RouteResponse): boolean {
  return status >= 200 && status < 300;
}

/** Nothing for somebody who comes back: browsers go on asking until they are answered 204, and not as an event. */
function isOver({ input }: Call & { readonly input: RequestInput }, { status }: RouteResponse): boolean {
  return status === 204 && input.headers['last-event-id'] !== undefined;
}

function streaming(stream: ReadableStream<Uint8Array>): RouteResponse {
  return new RouteResponse(
    200,
    { kind: 'stream', stream, mediaType: eventStreamType },
    { 'cache-control': 'no-store', vary: 'accept', 'x-accel-buffering': 'no' },
  );
}

/** A cache must not give one form of an answer to somebody who asked for the other. */
function varying({ status, body, headers }: RouteResponse): RouteResponse {
  const vary = [headers['vary'] ?? [], 'accept'].flat().join(', ');
  return new RouteResponse(status, body, { ...headers, vary });
}
