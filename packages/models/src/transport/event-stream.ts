/** One server-sent event. */
export interface StreamEvent {
  /** Empty when the event has none. */
  readonly name: string;
  readonly data: string;
}

/** The longest line that is put together; what is longer is no event of a model. */
const maxEventLength = 8 * 1024 * 1024;

/**
 * Reads server-sent events from pieces of bytes that may tear lines and characters apart.
 *
 * @param onEvent called for each event with data; the last one counts without its blank line, too
 */
export function createEventReader(onEvent: (event: StreamEvent) => void): {
  write(chunk: Uint8Array): void;
  end(): void;
} {
  const decoder = new TextDecoder();
  let rest = '';
  let name = '';
  let data: string[] = [];
  const flush = (): void => {
    if (data.length > 0) onEvent({ name, data: data.join('\n') });
    name = '';
    data = [];
  };
  const readLine = (line: string): void => {
    if (line === '') flush();
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) name = line.slice(6).trim();
  };
  const keep = (text: string): void => {
    if (text.length > maxEventLength) throw new RangeError('a line of the stream is too long');
    rest = text;
  };
  const readLines = (text: string): void => {
    let start = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', start)) {
      readLine(text.slice(start, text[at - 1] === '\r' && at > start ? at - 1 : at));
      start = at + 1;
    }
    keep(text.slice(start));
  };
  return {
    write(chunk) {
      const text = decoder.decode(chunk, { stream: true });
      // A long line in many pieces is searched once, not again for each of them.
      if (text.includes('\n')) readLines(rest + text);
      else keep(rest + text);
    },
    end() {
      readLines(`${rest}${decoder.decode()}\n`);
      flush();
    },
  };
}
