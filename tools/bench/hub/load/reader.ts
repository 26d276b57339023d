import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { headBytes } from '../frame.ts';
import { type HubAddress, type ReaderKind, slowBytesPerSecond } from '../jobs.ts';
import { deferred } from './deferred.ts';
import { MessageReader } from './message-reader.ts';
import { clientFrame, type ReaderWire, wires } from './wires.ts';

/** Who is told what arrives; bytes are borrowed. */
export interface ReaderEvents {
  /** @param head the beginning of the frame */
  readonly onFrame: (head: Buffer) => void;
  readonly onText?: (text: Buffer) => void;
}

/** How a reader connects and reads. */
export interface ReaderOptions {
  readonly kind?: ReaderKind;
  /** Of a hub behind a proxy; the hub's own otherwise. */
  readonly port?: number;
  /** Bytes of each frame that are looked at; the stamp otherwise. */
  readonly keepOfFrame?: number;
}

/** What a slow reader takes at a time, and how often it looks whether it may. */
const slowChunkBytes = 10_000;
const slowTickMs = 2;

/** Read by everybody who reads at once: a chunk is used up before the next one is read. */
const fastChunk = Buffer.allocUnsafe(262_144);

/** One subscriber on a socket of its own. */
export class Reader {
  readonly #socket: Socket;
  readonly #kind: ReaderKind;
  readonly #wire: ReaderWire;
  readonly #events: ReaderEvents;
  readonly #messages: MessageReader;
  readonly #ready = deferred<void>();
  /** The HTTP answer, until its end is there. */
  #answer: Buffer | undefined;
  #budget: { bytes: number; sinceMs: number } | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(hub: HubAddress, options: ReaderOptions, events: ReaderEvents) {
    const { kind = 'healthy', keepOfFrame = headBytes } = options;
    this.#kind = kind;
    this.#events = events;
    this.#wire = wires[hub.wire];
    this.#answer = this.#wire.upgrades ? Buffer.alloc(0) : undefined;
    this.#messages = new MessageReader(this.#wire.readHead, keepOfFrame, (what, kept) => {
      if (what === 'frame') events.onFrame(kept);
      else if (what === 'text') this.#hear(kept);
      else if (what === 'ping') this.#socket.write(clientFrame(0xa, kept));
    });
    const { hostname, port } = new URL(hub.url);
    const buffer = kind === 'slow' ? Buffer.allocUnsafe(slowChunkBytes) : fastChunk;
    this.#socket = connect({
      host: hostname,
      port: options.port ?? Number(port),
      onread: { buffer, callback: (bytes) => this.#read(buffer.subarray(0, bytes)) },
    });
    this.#socket.setNoDelay(true);
    this.#socket.on('error', (error) => this.#ready.reject(error));
    this.#socket.on('close', () => this.#ready.reject(new Error('the hub closed the connection')));
  }

  /** Connects and subscribes. @throws {Error} when the hub refuses */
  static async open(hub: HubAddress, options: ReaderOptions, events: ReaderEvents): Promise<Reader> {
    const reader = new Reader(hub, options, events);
    reader.#socket.write(reader.#wire.opening(hub));
    await reader.#ready.promise;
    if (reader.#kind === 'stalled') reader.#socket.pause();
    if (reader.#kind === 'slow') reader.#readSlowly();
    return reader;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#socket.closed) return;
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }

  /** False stops reading until somebody resumes. */
  #read(chunk: Buffer): boolean {
    const messages = this.#answer ? this.#readAnswer(this.#answer, chunk) : chunk;
    if (messages) this.#messages.push(messages);
    if (!this.#budget) return true;
    this.#budget.bytes -= chunk.length;
    return this.#budget.bytes > 0;
  }

  /** Gives what comes after the answer, once all of it is there. */
  #readAnswer(before: Buffer, chunk: Buffer): Buffer | undefined {
    const answer = Buffer.concat([before, chunk]);
    const end = answer.indexOf('\r\n\r\n');
    this.#answer = end === -1 ? answer : undefined;
    if (end === -1) return undefined;
    const [status = ''] = answer.toString('latin1', 0, end).split('\r\n');
    if (!status.startsWith('HTTP/1.1 101'))
      this.#ready.reject(new Error(`the hub answered ${answer.toString()}`));
    else if (this.#wire.readyAtAnswer) this.#ready.resolve();
    return answer.subarray(end + 4);
  }

  #hear(words: Buffer): void {
    const { ready = false, answer } = this.#wire.onWords(words);
    if (answer) this.#socket.write(answer);
    if (ready) this.#ready.resolve();
    this.#events.onText?.(words);
  }

  /** Lets so many bytes pass as the time that went by allows; what it does not take while there is nothing, is lost. */
  #readSlowly(): void {
    const budget = { bytes: 0, sinceMs: performance.now() };
    this.#budget = budget;
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      const earned = ((nowMs - budget.sinceMs) * slowBytesPerSecond) / 1000;
      budget.sinceMs = nowMs;
      budget.bytes = Math.min(budget.bytes + earned, 2 * slowChunkBytes);
      if (budget.bytes > 0) this.#socket.resume();
    }, slowTickMs);
  }
}
