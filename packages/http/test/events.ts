/** One server-sent event as a browser would read it; comments have no name. */
export interface ReadEvent {
  readonly event?: string;
  readonly data?: unknown;
  readonly id?: string;
  readonly comment?: string;
}

/** Events of a stream, one after another. */
export interface EventReader {
  /** Resolves with the next one; undefined at the end. */
  next(): Promise<ReadEvent | undefined>;
  /** All that are left. */
  rest(): Promise<readonly ReadEvent[]>;
}

/** Reads the events of an answer. */
export function readEvents(response: Response): EventReader {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<ReadEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end !== -1) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        return toEvent(block);
      }
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) return undefined;
      text += value;
    }
  };
  return {
    next,
    async rest() {
      const events: ReadEvent[] = [];
      for (let event = await next(); event; event = await next()) events.push(event);
      return events;
    },
  };
}

function toEvent(block: string): ReadEvent {
  if (block.startsWith(':')) return { comment: block.slice(1) };
  const fields = block.split('\n').map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? [line]);
  const all = (name: string): readonly string[] =>
    fields.filter(([field]) => field === name).map(([, value = '']) => value);
  const [id] = all('id');
  return {
    event: all('event').join('\n'),
    data: JSON.parse(all('data').join('\n')) as unknown,
    ...(id !== undefined && { id }),
  };
}
