import { type EncodedMessages, encodeMessages, type Peer } from '@waymark/contract/engine';

/** Bytes on their way to a reader. Whoever has more waits; what is told of a run is read from its journal meanwhile. */
const highWaterBytes = 65_536;

/** Those who follow one run are told the same objects. */
const frames = new WeakMap<object, EncodedMessages>();

/** What one socket sends, at the pace of its reader. What is sent in one go leaves in one piece. */
export class SocketOut {
  readonly #peer: Peer;
  /** Sent in this go. */
  #going: EncodedMessages[] = [];
  #goingBytes = 0;
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(peer: Peer) {
    this.#peer = peer;
    peer.onDrain(() => this.#tellRoom());
    peer.onClose(() => {
      this.#closed = true;
      this.#tellRoom();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  send(text: string): void {
    this.#send(encodeMessages([text]));
  }

  /** @param about what the text says: it is worded and framed once for all sockets that are told of it */
  sendShared(about: object, toText: () => string): void {
    let frame = frames.get(about);
    if (!frame) {
      frame = encodeMessages([toText()]);
      frames.set(about, frame);
    }
    this.#send(frame);
  }

  /** The reader has not taken what it was sent. */
  get full(): boolean {
    return !this.#closed && this.#peer.bufferedAmount + this.#goingBytes > highWaterBytes;
  }

  /** Settles when the reader can take more, or has gone; undefined while it can. */
  room(): Promise<void> | undefined {
    if (!this.full) return undefined;
    // Otherwise nobody would tell that it drained.
    this.#flush();
    return this.full ? new Promise((resolve) => this.#waiting.push(resolve)) : undefined;
  }

  /** What was sent goes first. */
  shut(code: number, reason: string): void {
    this.#flush();
    this.#peer.shut(code, reason);
  }

  #send(frame: EncodedMessages): void {
    // Behind all that is settled in this turn: the steps of a page, say.
    if (this.#going.push(frame) === 1) process.nextTick(this.#flush);
    this.#goingBytes += frame.bytes.length;
  }

  readonly #flush = (): void => {
    const going = this.#going;
    const [first] = going;
    if (!first) return;
    this.#going = [];
    this.#goingBytes = 0;
    this.#peer.sendEncoded(going.length === 1 ? first : joined(going));
  };

  #tellRoom(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function joined(frames: readonly EncodedMessages[]): EncodedMessages {
  return {
    bytes: Buffer.concat(frames.map(({ bytes }) => bytes)),
    messages: frames.reduce((sum, { messages }) => sum + messages, 0),
  };
}
