import { brokenAtMost, isPassing, pause, shortestPauseMs } from './breaks.ts';
import type { FeedOptions, LiveEvent } from './feed-types.ts';
import { type ClientOptions, type JsonObject, ProblemError } from './options.ts';
import {
  eventStream,
  longestTimeoutMs,
  mediaTypeOf,
  type Operation,
  parseData,
  readEvents,
  readText,
  request,
  toEnd,
} from './requests.ts';

/** A service that starts again is back before long. */
export const longestFeedPauseMs = 2_000;

/** Gives what a service tells of all that happens, by the path of its route. */
export function connectFeed(client: ClientOptions) {
  return <I>(path: string, query: readonly string[]) => {
    const operation: Operation = { method: 'GET', path, query, progress: true, timeoutMs: longestTimeoutMs };
    return (input?: I, options: FeedOptions = {}): AsyncIterableIterator<LiveEvent> =>
      readFeed({ client, operation, input: input ?? {}, options });
  };
}

export interface FeedReading {
  readonly client: ClientOptions;
  readonly operation: Operation;
  readonly input: JsonObject;
  readonly options: FeedOptions;
}

/** Once it has been told anything it waits for a service that is away; what it is refused is an error at once. */
export async function* readFeed({
  client,
  operation,
  input,
  options,
}: FeedReading): AsyncGenerator<LiveEvent, undefined> {
  const { signal } = options;
  let { lastEventId } = options;
  let wasTold = false;
  for (let broken = 0; ; broken++) {
    const headers = {
      ...options.headers,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    // Not as long as a call of the client may take: it has no end.
    const listening = { timeoutMs: longestTimeoutMs, ...options, headers, onProgress: () => {} };
    try {
      const answer = await request(client, operation, input, listening);
      if (mediaTypeOf(answer) !== eventStream)
        throw new ProblemError(answer.response, await readText(answer), 'expected events');
      for await (const { event, data, id } of readEvents(answer)) {
        const value = parseData(data, answer);
        if (event === 'error' || event === 'result') toEnd(event, value, answer);
        lastEventId = id ?? lastEventId;
        wasTold = true;
        broken = 0;
        // The service describes what it tells; this is where its word becomes a type.
        yield { ...(value as LiveEvent), event_id: id };
      }
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error;
      if (!wasTold && broken >= brokenAtMost) throw error;
    }
    await pause(Math.min(longestFeedPauseMs, shortestPauseMs * 2 ** broken), signal);
    if (signal?.aborted) return;
  }
}
