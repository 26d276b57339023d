import { expect } from 'vitest';

/** One event as it came. */
export interface Told {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: { readonly [member: string]: unknown };
}

/** Somebody who listens to a feed. */
export interface FeedReader {
  readonly status: number;
  /** All that came so far. */
  readonly told: readonly Told[];
  /** Waits until something is among what came. */
  has(wanted: (told: Told) => boolean): Promise<Told>;
  /** Settles when the stream ends. */
  readonly ended: Promise<void>;
  /** The id that was said last. */
  readonly lastId: string | undefined;
  /** Comments that came: signs of life. */
  readonly comments: number;
  leave(): void;
  /** Keeps nothing of what came. */
  forget(): void;
}

/** Begins to listen, and has been told `ready` unless it was refused. */
export async function listen(
  url: string,
  headers: Readonly<Record<string, string>>,
  { kinds, after }: { readonly kinds?: string; readonly after?: string | undefined } = {},
): Promise<FeedReader> {
  const going = new AbortController();
  const query = kinds === undefined ? '' : `?kinds=${kinds}`;
  const response = await fetch(`${url}/_svc/events${query}`, {
    headers: {
      ...headers,
      accept: 'text/event-stream',
      ...(after !== undefined && { 'last-event-id': after }),
    },
    signal: going.signal,
  });
  const told: Told[] = [];
  let comments = 0;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of response.body ?? []) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith(':')) comments++;
        else told.push(toTold(block));
      }
    }
  };
  const reader: FeedReader = {
    status: response.status,
    told,
    async has(wanted) {
      await expect.poll(() => told.some(wanted), { timeout: 30_000 }).toBe(true);
      return told.find(wanted) as Told;
    },
    ended: read().catch(() => undefined),
    get lastId() {
      return told.findLast(({ id }) => id !== undefined)?.id;
    },
    get comments() {
      return comments;
    },
    leave: () => going.abort(),
    forget: () => void told.splice(0),
  };
  if (response.status === 200) await reader.has(({ event }) => event === 'ready');
  return reader;
}

/** By the line ends of events alone: to a regular expression there are others. */
export function toTold(block: string): Told {
  const fields = block
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  const of = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
  return {
    id: of('id')[0],
    event: of('event')[0] ?? '',
    data: JSON.parse(of('data').join('\n')) as Told['data'],
  };
}
