/** The media type of server-sent events. */
export const eventStreamType = 'text/event-stream';

/** A comment, which readers of events skip: it keeps a silent stream from being taken for a dead one. */
export const keepAliveText = ':\n\n';

/** One server-sent event in words. */
export interface ServerSentEvent {
  readonly event: string;
  /** Whole text: JSON, usually. */
  readonly data: string;
  readonly id?: string;
}

/**
 * Writes one server-sent event as it goes on the wire. Lines of `data` stay lines, whatever ends them.
 *
 * @throws {TypeError} for a name or an id that is empty or no single line: the rest of it would be read as other fields
 */
export function toEventText({ event, data, id }: ServerSentEvent): string {
  const named = id === undefined ? '' : `id: ${oneLine('id', String(id))}\n`;
  const lines = data.split(lineEnd).join('\ndata: ');
  return `${named}event: ${oneLine('name', event)}\ndata: ${lines}\n\n`;
}

const lineEnd = /\r\n|\r|\n/;

function oneLine(field: string, text: string): string {
  if (typeof text === 'string' && /^[^\r\n\0]+$/.test(text)) return text;
  throw new TypeError(`the ${field} of an event is not a line of text`);
}
