import type { SimulatedUsage } from '../usage.ts';
import type { Credentials } from '../wire-format.ts';
import type { FormatName } from './conversation.ts';

/** Entry of the request log: a request and the state of its answer. */
export interface LoggedRequest {
  /** Request id, which the answer carries too. */
  readonly id: string;
  /** Wire format; undefined on a path that no format has. */
  readonly format: FormatName | undefined;
  readonly method: string;
  readonly path: string;
  /** Headers without `authorization`, `x-api-key` and `cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers in which a key came. */
  readonly auth: Credentials['form'];
  /** Parsed body; undefined when it was no JSON, or when the log had no room for it. */
  readonly body: unknown;
  /** Number of times that this very body has come since it was last answered with a reply, this one included. */
  readonly attempt: number;
  /**
   * `open` while it is being answered, or hangs; `aborted` when the client went away; `cut` when the simulator did;
   * `failed` with an error or a malformed body; `replied` with a whole reply.
   */
  readonly outcome: 'open' | 'replied' | 'failed' | 'cut' | 'aborted';
  /** HTTP status; undefined while nothing was answered. */
  readonly status: number | undefined;
  /** Token usage of the reply, whether or not the client is told; undefined without a reply. */
  readonly usage: SimulatedUsage | undefined;
}

/** A request in the log that is still being told about. */
export type OpenEntry = { -readonly [Member in keyof LoggedRequest]: LoggedRequest[Member] };

/** Bytes of bodies that a log holds; the oldest bodies go first. */
const maxBodyBytes = 256 * 1024 * 1024;

/** Keeps the newest requests, oldest first. */
export class RequestLog {
  readonly #maxEntries: number;
  #entries: OpenEntry[] = [];
  #bodies: { readonly entry: OpenEntry; readonly bytes: number }[] = [];
  #bytes = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get entries(): readonly LoggedRequest[] {
    return [...this.#entries];
  }

  add(entry: OpenEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length <= this.#maxEntries) return;
    const dropped = this.#entries.shift();
    if (this.#bodies[0]?.entry === dropped) this.#dropBody();
  }

  /** Remembers the body of an entry. @param bytes its size on the wire */
  setBody(entry: OpenEntry, body: unknown, bytes: number): void {
    entry.body = body;
    this.#bodies.push({ entry, bytes });
    this.#bytes += bytes;
    while (this.#bytes > maxBodyBytes || this.#bodies.length > this.#maxEntries) this.#dropBody();
  }

  clear(): void {
    this.#entries = [];
    this.#bodies = [];
    this.#bytes = 0;
  }

  #dropBody(): void {
    const oldest = this.#bodies.shift();
    if (!oldest) return;
    this.#bytes -= oldest.bytes;
    oldest.entry.body = undefined;
  }
}
