/** An event of a stream. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** The most of one event that is kept; what is longer is cut. */
const longestData = 1_000_000;

/** Reads events out of a stream as its text comes, whatever pieces it comes in. */
export class EventReader {
  #rest = '';
  #name = '';
  #data: string[] = [];

  /** The events that are whole with this piece. */
  push(piece: string): readonly StreamEvent[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = (lines.pop() ?? '').slice(0, longestData);
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): readonly StreamEvent[] {
    if (line === '') {
      const event = { name: this.#name || 'message', data: this.#data.join('\n').slice(0, longestData) };
      const whole = this.#data.length > 0;
      this.#name = '';
      this.#data = [];
      return whole ? [event] : [];
    }
    const at = line.indexOf(':');
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    if (field === 'data') this.#data.push(value);
    return [];
  }
}
