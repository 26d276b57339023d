import type { Duplex } from 'node:stream';
import { deserialize, serialize } from 'node:v8';

/** One end of a connection between two processes of a server, whose messages arrive whole and in order. */
export interface Link<Out, In> {
  /** Bytes accepted by `send` that have not left the process. */
  readonly buffered: number;
  /** Whether the other side can still be told something. */
  readonly open: boolean;
  /** Queues a message; those of one turn of the event loop leave together. A closed link drops. @throws what cannot be copied */
  send(message: Out): void;
  onMessage(listener: (message: In) => void): void;
  /** Told once, also where the link is closed already. */
  onClose(listener: () => void): void;
  close(): void;
}

/** What a link holds of one message at most: the largest body that is sent as a whole is far smaller. */
const maxMessageBytes = 256 * 1024 * 1024;

const lengthBytes = 4;

/** Makes a link of a stream of bytes: each message is its length and its value as V8 writes it, so that bytes stay bytes. */
export function createLink<Out, In>(stream: Duplex, maxBytes: number = maxMessageBytes): Link<Out, In> {
  return new StreamLink(stream, maxBytes);
}

class StreamLink<Out, In> implements Link<Out, In> {
  readonly #stream: Duplex;
  readonly #maxBytes: number;
  readonly #messages: ((message: In) => void)[] = [];
  readonly #closes: (() => void)[] = [];
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #outgoing: Uint8Array[] = [];
  #outgoingBytes = 0;
  #closed = false;

  constructor(stream: Duplex, maxBytes: number) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
    stream.on('data', (piece: Buffer) => this.#take(piece));
    // What failed is told by `close`, like every other end.
    stream.on('error', () => {});
    stream.on('end', () => this.close());
    stream.on('close', () => this.#end());
  }

  get buffered(): number {
    return this.#outgoingBytes + this.#stream.writableLength;
  }

  get open(): boolean {
    return !this.#closed;
  }

  send(message: Out): void {
    if (this.#closed) return;
    const bytes = serialize(message);
    const length = Buffer.allocUnsafe(lengthBytes);
    length.writeUInt32BE(bytes.length);
    if (this.#outgoing.length === 0) setImmediate(() => this.#flush());
    this.#outgoing.push(length, bytes);
    this.#outgoingBytes += lengthBytes + bytes.length;
  }

  onMessage(listener: (message: In) => void): void {
    this.#messages.push(listener);
  }

  onClose(listener: () => void): void {
    if (this.#closed) queueMicrotask(listener);
    else this.#closes.push(listener);
  }

  close(): void {
    this.#flush();
    this.#end();
    this.#stream.end();
  }

  #flush(): void {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    this.#outgoingBytes = 0;
    const [first] = outgoing;
    if (first === undefined || this.#closed) return;
    this.#stream.write(Buffer.concat(outgoing));
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const tell of this.#closes.splice(0)) tell();
  }

  #take(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    const needed = this.#needed();
    if (this.#pieceBytes < needed) return;
    const bytes = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    const rest = this.#tell(bytes);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#pieceBytes = rest.length;
  }

  /** So many bytes there must be before anything can be read. */
  #needed(): number {
    const [first] = this.#pieces;
    if (!first || this.#pieceBytes < lengthBytes) return lengthBytes;
    const head = first.length < lengthBytes ? Buffer.concat(this.#pieces) : first;
    return lengthBytes + head.readUInt32BE(0);
  }

  /** @returns what is left of the next message */
  #tell(bytes: Buffer): Buffer {
    let at = 0;
    while (bytes.length - at >= lengthBytes) {
      const length = bytes.readUInt32BE(at);
      if (length > this.#maxBytes) {
        this.#stream.destroy(new Error(`a message of ${length} bytes is too large`));
        return Buffer.alloc(0);
      }
      const end = at + lengthBytes + length;
      if (bytes.length < end) break;
      const message = deserialize(bytes.subarray(at + lengthBytes, end)) as In;
      at = end;
      for (const tell of this.#messages) tell(message);
    }
    return bytes.subarray(at);
  }
}
