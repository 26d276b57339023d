/** What a message is for: a frame, something said in words, a question that wants an answer, or none of these. */
export type MessageKind = 'frame' | 'text' | 'ping' | 'other';

/** The beginning of a message, as a wire writes it. */
export interface MessageHead {
  readonly kind: MessageKind;
  /** Bytes before those of the message itself. */
  readonly headLength: number;
  readonly length: number;
}

/** Reads the beginning of a message; undefined while too little of it is there. */
export type ReadHead = (bytes: Buffer, available: number) => MessageHead | undefined;

/** More than any wire needs for the beginning of a message. */
const maxHeadBytes = 14;
/** What is said in words is kept whole up to this. */
const maxTextBytes = 65_536;

/** Cuts a stream of bytes into messages, and keeps only so much of each as somebody wants to see. */
export class MessageReader {
  readonly #readHead: ReadHead;
  readonly #keepOfFrame: number;
  readonly #onMessage: (kind: MessageKind, kept: Buffer) => void;
  readonly #head = Buffer.alloc(maxHeadBytes);
  #headBytes = 0;
  #kind: MessageKind = 'other';
  #left = -1;
  #kept: Buffer;
  #keptBytes = 0;
  #keep = 0;

  /** @param keepOfFrame bytes of the beginning of each frame that `onMessage` is given; borrowed, as all it is given */
  constructor(readHead: ReadHead, keepOfFrame: number, onMessage: (kind: MessageKind, kept: Buffer) => void) {
    this.#readHead = readHead;
    this.#keepOfFrame = keepOfFrame;
    this.#onMessage = onMessage;
    this.#kept = Buffer.alloc(Math.max(keepOfFrame, maxTextBytes));
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#left < 0 ? this.#takeHead(chunk, at) : this.#takeBody(chunk, at);
  }

  #takeHead(chunk: Buffer, at: number): number {
    const before = this.#headBytes;
    const copied = chunk.copy(this.#head, before, at, Math.min(chunk.length, at + maxHeadBytes - before));
    const head = this.#readHead(this.#head, before + copied);
    if (!head) {
      this.#headBytes = before + copied;
      return at + copied;
    }
    this.#headBytes = 0;
    this.#kind = head.kind;
    this.#left = head.length;
    this.#keep = Math.min(head.length, head.kind === 'frame' ? this.#keepOfFrame : maxTextBytes);
    this.#keptBytes = 0;
    if (head.length === 0) this.#end();
    return at + head.headLength - before;
  }

  #takeBody(chunk: Buffer, at: number): number {
    const length = Math.min(this.#left, chunk.length - at);
    const wanted = Math.min(length, this.#keep - this.#keptBytes);
    if (wanted > 0) this.#keptBytes += chunk.copy(this.#kept, this.#keptBytes, at, at + wanted);
    this.#left -= length;
    if (this.#left === 0) this.#end();
    return at + length;
  }

  #end(): void {
    this.#left = -1;
    this.#onMessage(this.#kind, this.#kept.subarray(0, this.#keptBytes));
  }
}
