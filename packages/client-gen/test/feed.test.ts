import { createRouteTable, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toClient } from '../src/index.ts';
import { makeProject, type Project } from './generated.ts';
import { route } from './rich-table.ts';

interface LiveEvent {
  readonly type: string;
  readonly event_id: string | undefined;
  readonly [member: string]: unknown;
}

/** What these tests use of a generated client. */
interface Generated {
  readonly control: {
    readonly events: {
      list(input?: object, options?: object): Promise<unknown>;
      stream(input?: object, options?: object): AsyncIterableIterator<LiveEvent>;
    };
  };
}

const feed = route(
  'GET',
  '/events',
  {
    ...({ plane: 'control', progress: true, facts: { client: 'events.list', feed: true } } as const),
    input: { kinds: Type.Optional(Type.String()) },
    output: Type.Object({ next: Type.String() }),
  },
  'control',
);

let project: Project;
let createClient: (options: object) => Generated;
beforeAll(async () => {
  project = await makeProject(toClient(createRouteTable([feed]), { title: 'Desk' }));
  ({ createClient } = (await project.load('client.ts')) as { createClient: typeof createClient });
});
afterAll(() => project.remove());

/** Texts, then the end of the stream or the error that breaks it. */
type Answer = Response | readonly (string | Error)[];

/** A client of a service that answers in this order, and what it was asked. */
function connected(...answers: readonly Answer[]) {
  const asked: { readonly target: string; readonly after: string | null; readonly accept: string | null }[] =
    [];
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const { headers } = request;
    const answer = answers[asked.length] ?? new Response('{"status":403}', { status: 403 });
    asked.push({
      ...{ target: pathname + search, after: headers.get('last-event-id'), accept: headers.get('accept') },
    });
    return answer instanceof Response ? answer : toStream(answer);
  };
  const { events } = createClient({ baseUrl: 'https://desk.example', fetch, timeoutMs: 50 }).control;
  return { events, asked };
}

function toStream(pieces: readonly (string | Error)[]): Response {
  const left = [...pieces];
  const stream = new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else if (typeof next === 'string') controller.enqueue(new TextEncoder().encode(next));
      else controller.error(next);
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

const told = (n: number): string => `id: ${n}-X\nevent: run\ndata: {"type":"run","n":${n}}\n\n`;
const ready = 'id: 0-\nevent: ready\ndata: {"type":"ready","at_ms":1}\n\n';

async function readAll(events: AsyncIterable<LiveEvent>) {
  const seen: LiveEvent[] = [];
  let error: unknown;
  try {
    for await (const event of events) seen.push(event);
  } catch (thrown) {
    error = thrown;
  }
  return { seen: seen.map(({ type, n, event_id }) => [type, n, event_id]), error };
}

describe('the feed of a client', () => {
  it('goes on behind the last event after a break, an end and a service that stops', async () => {
    verifies('feed.client');
    const stops = 'event: error\ndata: {"status":503,"detail":"the server is shutting down"}\n\n';
    const { events, asked } = connected(
      [ready, told(1), ':\n\n', told(2), new TypeError('terminated')],
      [told(3), stops],
      new Response('{"status":503}', { status: 503, headers: { 'content-type': 'application/json' } }),
      ['event: missed\ndata: {"type":"missed","count":4}\n\n', told(8)],
    );
    const { seen, error } = await readAll(events.stream({ kinds: 'run' }));
    expect(seen).toEqual([
      ['ready', undefined, '0-'],
      ['run', 1, '1-X'],
      ['run', 2, '2-X'],
      ['run', 3, '3-X'],
      ['missed', undefined, undefined],
      ['run', 8, '8-X'],
    ]);
    expect(error).toMatchObject({ status: 403 });
    expect(asked.map(({ after }) => after)).toEqual([null, '2-X', '3-X', '3-X', '8-X']);
    for (const { target, accept } of asked)
      expect([target, accept]).toEqual(['/_svc/events?kinds=run', 'text/event-stream']);
  });

  it('begins where it is told to, and is refused at once', async () => {
    verifies('feed.client');
    const expired = 'event: error\ndata: {"status":401,"detail":"the credential has expired"}\n\n';
    const { events, asked } = connected([told(6), expired]);
    const { seen, error } = await readAll(events.stream({}, { lastEventId: '5-X' }));
    expect(seen).toEqual([['run', 6, '6-X']]);
    expect(error).toMatchObject({ status: 401 });
    expect(asked).toMatchObject([{ after: '5-X' }]);
  });

  it.each([
    ['an event', [ready, 'data: ', '-'.repeat(10_000)]],
    ['the answer', new Response('-'.repeat(10_000))],
  ])('does not ask again for what it has no room for: %s', async (what, answer) => {
    verifies('client.memory');
    const { events, asked } = connected(answer, []);
    const { error } = await readAll(events.stream({}, { maxResponseBytes: 9_999 }));
    expect(error).toEqual(new RangeError(`${what} is longer than 9999 bytes (maxResponseBytes)`));
    expect(asked).toHaveLength(1);
  });

  it('is longer than any call of the client may take, and ends with its signal', async () => {
    const going = new AbortController();
    const open = new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(ready));
          setTimeout(() => controller.enqueue(new TextEncoder().encode(told(1))), 100);
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
    const { events } = connected(open);
    const reader = events.stream({}, { signal: going.signal });
    expect((await reader.next()).value).toMatchObject({ type: 'ready' });
    expect((await reader.next()).value).toMatchObject({ n: 1 });
    expect(await reader.return?.()).toMatchObject({ done: true });
  });
});
