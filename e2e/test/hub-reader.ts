import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Values } from '@waymark/contract';
import { handshakeLines, rawRequest } from './raw-client.ts';

/** A frame as a reader saw it. */
export interface SeenFrame {
  readonly seq: number;
  /** From its publication until its last byte was read, milliseconds. */
  readonly ageMs: number;
  readonly publishedMs: number;
  /** What `lagged` said since the frame before. */
  readonly told: number;
  /** Length of the picture; undefined when the header came alone. */
  readonly bytes: number | undefined;
}

/**
 * A subscriber that decides itself when it reads, and how fast: no WebSocket client can stop. Pings are answered
 * as they are read, as browsers do.
 */
export interface HubReader {
  readonly hello: Values | undefined;
  readonly frames: readonly SeenFrame[];
  readonly readings: number;
  /** Ids of the runs whose insights it was told, in order. */
  readonly insights: readonly string[];
  /** Events it was told it missed. */
  readonly told: number;
  /** Code and reason of the close frame it read. */
  readonly closed: string | undefined;
  /** Whether the connection is gone, however it ended. */
  readonly gone: boolean;
  /** Reads nothing from now on. */
  stop(): void;
  go(): void;
  /** Is gone without a word. */
  vanish(): void;
  /** Resolves when something holds of it. @throws {Error} when it has not after 20 seconds */
  until(holds: (reader: HubReader) => boolean): Promise<void>;
}

/** Where a reader connects, and how it reads. */
export interface HubReaderOptions {
  readonly port: number;
  /** Path and query. */
  readonly target: string;
  /** Bytes per millisecond; as fast as it can without. */
  readonly rate?: number | undefined;
}

/** Connects a reader. It asks for no extension and checks no handshake: the server is ours. */
export function openReader(options: HubReaderOptions): HubReader {
  const { port, target } = options;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  socket.write(rawRequest('GET', target, handshakeLines));
  return new StreamReader(socket, options);
}

class StreamReader implements HubReader {
  hello: Values | undefined;
  readonly frames: SeenFrame[] = [];
  readings = 0;
  readonly insights: string[] = [];
  told = 0;
  closed: string | undefined;
  readonly #socket: Socket;
  readonly #rate: number | undefined;
  /** Nothing follows the header of a frame. */
  readonly #meta: boolean;
  #stopped = false;
  #reading = false;
  #early: Buffer | undefined = Buffer.alloc(0);
  readonly #messages = new MessageReader((opcode, payload, length) => this.#take(opcode, payload, length));
  #header: Values | undefined;
  #toldSince = 0;

  constructor(socket: Socket, { rate, target }: HubReaderOptions) {
    this.#socket = socket;
    this.#rate = rate;
    this.#meta = target.includes('frames=meta');
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  get gone(): boolean {
    return this.#socket.closed;
  }

  stop(): void {
    this.#stopped = true;
    this.#socket.pause();
  }

  go(): void {
    this.#stopped = false;
    if (!this.#reading) this.#socket.resume();
  }

  vanish(): void {
    this.#socket.destroy();
  }

  async until(holds: (reader: HubReader) => boolean): Promise<void> {
    const endMs = performance.now() + 20_000;
    while (!holds(this)) {
      if (performance.now() > endMs)
        throw new Error(`waited in vain: ${this.frames.length} frames, told ${this.told}, ${this.closed}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** A slow reader has read a chunk when the time for its bytes is over. */
  #read(chunk: Buffer): void {
    if (this.#rate === undefined) {
      this.#parse(chunk);
      return;
    }
    this.#socket.pause();
    this.#reading = true;
    setTimeout(() => {
      this.#reading = false;
      this.#parse(chunk);
      if (!this.#stopped) this.#socket.resume();
    }, chunk.length / this.#rate);
  }

  #parse(chunk: Buffer): void {
    if (!this.#early) {
      this.#messages.push(chunk);
      return;
    }
    this.#early = Buffer.concat([this.#early, chunk]);
    const end = this.#early.indexOf('\r\n\r\n');
    if (end === -1) return;
    const rest = this.#early.subarray(end + 4);
    this.#early = undefined;
    this.#messages.push(rest);
  }

  #take(opcode: number, payload: Buffer, length: number): void {
    if (opcode === 0x9) this.#socket.write(masked(0xa, payload));
    else if (opcode === 0x8) this.#end(payload);
    else if (opcode === 0x2) this.#see(length);
    else this.#hear(JSON.parse(payload.toString()) as Values);
  }

  #end(payload: Buffer): void {
    this.closed = `${payload.readUInt16BE(0)} ${payload.toString('utf8', 2)}`;
    this.#socket.end(masked(0x8, payload));
  }

  #hear(record: Values): void {
    if (record['type'] === 'hello') this.hello = record;
    else if (record['type'] === 'telemetry') this.readings++;
    else if (record['type'] === 'insight') this.insights.push(String(record['run_id']));
    else if (record['type'] === 'lagged') {
      this.told += Number(record['skipped']);
      this.#toldSince += Number(record['skipped']);
    } else if (record['type'] === 'frame') {
      this.#header = record;
      if (this.#meta) this.#see(undefined);
    }
  }

  #see(bytes: number | undefined): void {
    const publishedMs = Number(this.#header?.['at_ms']);
    if (bytes !== undefined && bytes !== this.#header?.['bytes']) throw new Error('a picture has lost bytes');
    this.frames.push({
      seq: Number(this.#header?.['seq']),
      ageMs: Date.now() - publishedMs,
      publishedMs,
      told: this.#toldSince,
      bytes,
    });
    this.#header = undefined;
    this.#toldSince = 0;
  }
}

/** Takes apart what a server sends. Pictures are counted, not kept. */
class MessageReader {
  readonly #onMessage: (opcode: number, payload: Buffer, length: number) => void;
  #rest: Buffer = Buffer.alloc(0);
  /** Of a picture: its length, and what of it is still to come. */
  #length = 0;
  #missing = 0;

  constructor(onMessage: (opcode: number, payload: Buffer, length: number) => void) {
    this.#onMessage = onMessage;
  }

  push(chunk: Buffer): void {
    let bytes = this.#skip(chunk);
    if (this.#rest.length > 0) bytes = Buffer.concat([this.#rest, bytes]);
    let at = 0;
    for (let next = this.#message(bytes, at); next !== undefined; next = this.#message(bytes, at)) at = next;
    this.#rest = bytes.subarray(at);
  }

  #skip(chunk: Buffer): Buffer {
    if (this.#missing === 0) return chunk;
    const taken = Math.min(this.#missing, chunk.length);
    this.#missing -= taken;
    if (this.#missing === 0) this.#onMessage(0x2, chunk.subarray(0, 0), this.#length);
    return chunk.subarray(taken);
  }

  /** @returns where the next message begins; undefined when this one is not whole */
  #message(bytes: Buffer, at: number): number | undefined {
    if (bytes.length < at + 2) return undefined;
    const opcode = bytes.readUInt8(at) & 0x0f;
    const short = bytes.readUInt8(at + 1);
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    if (bytes.length < start) return undefined;
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    const end = start + length;
    if (opcode === 0x2 && bytes.length < end) {
      this.#length = length;
      this.#missing = end - bytes.length;
      return bytes.length;
    }
    if (bytes.length < end) return undefined;
    this.#onMessage(opcode, bytes.subarray(start, opcode === 0x2 ? start : end), length);
    return end;
  }
}

/** A client masks what it sends (RFC 6455, 5.3). */
function masked(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const hidden = payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length]), mask, hidden]);
}
