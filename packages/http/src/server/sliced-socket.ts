import { Socket } from 'node:net';
import { giveBack } from '@waymark/contract/http';
import { bodyPace, type Reading } from '../body/body-pace.ts';
import { lineOf } from './line.ts';

/**
 * Bytes that the parser is given at once: 4 KiB hold 700 chunks with a byte each, which take it 1 to 2 ms. Behind a slice of
 * large chunks the next is larger: it costs as much for itself.
 */
const sliceBytes = { least: 4_096, most: 16_384 } as const;

/**
 * What a byte counts of a slice in which no body was told of a piece: it holds heads, the chunks of a body that nobody reads,
 * which node parses and drops, or those of a request that express has made its own. 16 KiB of them are parsed in a turn.
 */
const untoldCost = 64;

const none = Buffer.alloc(0);

/**
 * A connection that gives node's parser what it reads in slices, as many in a turn of the event loop as `bodyPace` lets it.
 * Node itself hands over 64 KiB at once, and nothing halts its parser within them: 11,000 chunks with a byte each took 30 ms,
 * for each connection that had some (measured).
 */
export class SlicedSocket extends Socket {
  /** What is read and not given to the parser: what was read at once, and what came with a head. */
  #held: Buffer;
  /** Where it lies; absent where others may have a part of that. */
  #memory: Buffer | undefined;
  /** The end was read, and waits behind it. */
  #isEnded = false;
  #sliceBytes: number = sliceBytes.least;
  readonly #line = lineOf(this);
  readonly #reading: Reading = { cost: 0, goOn: () => void this.#goOn() };

  /** @param read what was read of the connection already, to be parsed first */
  constructor(handle: object, read: Uint8Array) {
    // What a server gives its own connections, of which nothing more is read before it is asked for. Node's types know no handle.
    const ofServer = { handle, allowHalfOpen: true, readable: true, writable: true, manualStart: true };
    // Whoever does not take what comes has enough in what is held.
    super({ ...ofServer, readableHighWaterMark: sliceBytes.most } as object);
    this.#held = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
  }

  /** Takes out what is not given to the parser. */
  takeHeld(): Buffer {
    const held = this.#held;
    this.#held = none;
    this.#memory = undefined;
    return held;
  }

  /** Node resumes what it has paused for its answers, and then trusts that it hears nothing. */
  override resume(): this {
    const { _paused: isHeldByNode } = this as { readonly _paused?: boolean };
    return isHeldByNode === true ? this : super.resume();
  }

  /** Told of each piece of a body that it is a part of what was read, or a copy, as node's parser makes them; parts may be kept. */
  tell(piece: Uint8Array): void {
    if (piece.buffer === this.#memory?.buffer) this.#memory = undefined;
  }

  /** Nothing more is read, nor the end, until all that was read is with the parser. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#isEnded = this.#held.length > 0;
      return !this.#isEnded && super.push(null);
    }
    if (this.#held.length === 0 && bodyPace.isOpen && !this.#line.isLong) {
      this.#hold(chunk);
      return this.#goOn();
    }
    this.#hold(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]));
    this.#wait();
    return false;
  }

  override _read(size: number): void {
    if (this.#held.length > 0) this.#wait();
    else super._read(size);
  }

  /** Goes on in one of the next turns, and not before most requests that were sent ahead are answered. */
  #wait(): void {
    if (this.#line.isLong) this.#line.whenShort(() => bodyPace.wait(this.#reading));
    else bodyPace.wait(this.#reading);
  }

  #hold(read: Buffer): void {
    this.#held = read;
    this.#memory = read;
  }

  /** Node's, as long as it is the one that hears. */
  get #parser(): unknown {
    return (this as { readonly parser?: unknown }).parser;
  }

  /** @returns whether more is to be read; else it is asked for */
  #goOn(): boolean {
    let wantsMore = false;
    // Whoever takes a slice may pause the connection, end it, or take the rest.
    while (this.#held.length > 0 && !this.destroyed) {
      const slice = this.#held.subarray(0, this.#sliceBytes);
      this.#held = this.#held.subarray(slice.length);
      const { left } = bodyPace;
      wantsMore = super.push(slice);
      // Behind an upgrade its head is kept, and what waits to be heard is a part.
      if (!this.#parser || this.readableLength > 0) this.#memory = undefined;
      const cost = left - bodyPace.left;
      if (cost === 0) bodyPace.take(slice.length * untoldCost);
      this.#sliceBytes = cost > 0 && cost < 2 * slice.length ? sliceBytes.most : sliceBytes.least;
      if (!this.readableFlowing || !bodyPace.isOpen || this.#line.isLong) break;
    }
    if (this.#held.length > 0) return false;
    // As garbage it would wait for a collection: of eight bodies 80 MB beside the 64 that may be in flight (measured).
    if (this.#memory?.length) giveBack(this.#memory);
    this.#memory = undefined;
    return this.#isEnded ? super.push(null) : wantsMore;
  }
}
