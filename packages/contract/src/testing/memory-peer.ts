import type { Cancel } from '../engine/json.ts';
import type { EncodedMessages, Peer } from '../engine/peer.ts';
import { decodeMessages } from './decode-messages.ts';

/** Makes a WebSocket without a network. */
export function memoryPeer(): MemoryPeer {
  return new MemoryPeer();
}

/**
 * A WebSocket without a network: the code under test holds the `Peer`, the test is the other side.
 *
 * Everything happens at once: what is sent is in `sent`, and listeners run inside the call that causes them. A real
 * socket tells its closing later, so code must not rely on the order of the two.
 */
export class MemoryPeer implements Peer {
  /** Messages that were sent, those inside `sendEncoded` one by one. Bytes are copies. */
  readonly sent: (string | Uint8Array)[] = [];
  /** Payloads of the pings that were sent. */
  readonly pings: Uint8Array[] = [];
  /** How the socket ended, whoever ended it. */
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** What a slow line holds back. Set it, or set `stalled` and let it grow. */
  bufferedAmount = 0;
  /** While true, everything sent counts in `bufferedAmount`, until `drain`. */
  stalled = false;

  #heard = 0;
  #paused = false;
  #told = false;
  #early: (string | Uint8Array)[] = [];
  readonly #messages = new Set<(message: string | Uint8Array) => void>();
  readonly #pongs = new Set<(payload: Uint8Array) => void>();
  readonly #drains = new Set<() => void>();
  readonly #closes = new Set<(code: number, reason: string) => void>();

  get heard(): number {
    return this.#heard;
  }

  /** What was sent and is JSON, parsed; binary messages stay bytes. */
  get records(): readonly unknown[] {
    return this.sent.map((message): unknown => (typeof message === 'string' ? JSON.parse(message) : message));
  }

  /** A message arrives. It waits while the peer is paused, and until somebody listens. */
  receive(message: string | Uint8Array): void {
    if (this.closed) return;
    if (!this.#paused) this.#heard++;
    this.#early.push(message);
    this.#deliver();
  }

  /** A pong arrives: for the newest ping when no payload is given. */
  pong(payload: Uint8Array = this.pings.at(-1) ?? new Uint8Array()): void {
    if (this.closed) return;
    if (!this.#paused) this.#heard++;
    for (const listener of this.#pongs) listener(payload);
  }

  /** The line takes everything it held back. */
  drain(): void {
    this.stalled = false;
    this.bufferedAmount = 0;
    if (!this.closed) for (const listener of this.#drains) listener();
  }

  /** The other side goes away: 1006 without a closing handshake. */
  disconnect(code = 1006, reason = ''): void {
    if (this.closed) return;
    this.closed = { code, reason };
    this.#tellEnd();
  }

  send(message: string | Uint8Array): void {
    if (this.closed) return;
    if (this.stalled) this.bufferedAmount += Buffer.byteLength(message);
    this.sent.push(typeof message === 'string' ? message : new Uint8Array(message));
  }

  sendEncoded({ bytes, ping }: EncodedMessages): void {
    if (this.closed) return;
    if (this.stalled) this.bufferedAmount += bytes.length;
    this.sent.push(...decodeMessages(ping ? bytes.subarray(0, -2 - ping.length) : bytes));
    if (ping) this.ping(ping);
  }

  ping(payload: Uint8Array): void {
    if (!this.closed) this.pings.push(new Uint8Array(payload));
  }

  close(code = 1000, reason = ''): void {
    this.disconnect(code, reason);
  }

  shut(code: number, reason: string): void {
    this.#early = [];
    this.disconnect(code, reason);
  }

  terminate(): void {
    this.#early = [];
    this.disconnect();
    this.#tellEnd();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#deliver();
  }

  onMessage(listener: (message: string | Uint8Array) => void): Cancel {
    this.#messages.add(listener);
    this.#deliver();
    return () => {
      this.#messages.delete(listener);
      this.#tellEnd();
    };
  }

  onUnread(listener: (message: string | Uint8Array) => void): Cancel {
    return this.onMessage(listener);
  }

  onPong(listener: (payload: Uint8Array) => void): Cancel {
    this.#pongs.add(listener);
    return () => void this.#pongs.delete(listener);
  }

  onDrain(listener: () => void): Cancel {
    this.#drains.add(listener);
    return () => void this.#drains.delete(listener);
  }

  onClose(listener: (code: number, reason: string) => void): Cancel {
    const { closed } = this;
    if (closed && this.#told) {
      const turn = setImmediate(() => listener(closed.code, closed.reason));
      return () => clearImmediate(turn);
    }
    this.#closes.add(listener);
    return () => void this.#closes.delete(listener);
  }

  #deliver(): void {
    while (!this.#paused && this.#messages.size > 0 && this.#early.length > 0) {
      const message = this.#early.shift() ?? '';
      for (const listener of this.#messages) listener(message);
    }
    this.#tellEnd();
  }

  /** Not before the messages in front of it, unless nobody listens to those. */
  #tellEnd(): void {
    const { closed } = this;
    if (!closed || this.#told || (this.#early.length > 0 && this.#messages.size > 0)) return;
    this.#told = true;
    for (const listener of this.#closes) listener(closed.code, closed.reason);
  }
}
