import { Socket } from 'node:net';
import { bodyPace, type Reading } from '../body/body-pace.ts';

/** Bytes that the parser is given at once: 700 chunks with a byte each, which take it 2 ms. */
const sliceBytes = 4_096;

const none = Buffer.alloc(0);

/**
 * A connection that gives node's parser what it reads in slices, as many in a turn of the event loop as `bodyPace` lets it.
 * Node itself hands over 64 KiB at once, and nothing halts its parser within them: 11,000 chunks with a byte each took 30 ms,
 * for each connection that had some (measured).
 */
export class SlicedSocket extends Socket {
  /** What is read and not given to the parser: what was read at once, and what came with a head. */
  #held: Buffer;
  readonly #reading: Reading = { cost: 0, goOn: () => this.#goOn() };

  /** @param read what was read of the connection already, to be parsed first */
  constructor(handle: object, read: Uint8Array) {
    // What a server gives its own connections, of which nothing more is read before it is asked for. Node's types know no handle.
    super({ handle, allowHalfOpen: true, readable: true, writable: true, manualStart: true } as object);
    this.#held = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
  }

  /** Takes out what is not given to the parser. */
  takeHeld(): Buffer {
    const held = this.#held;
    this.#held = none;
    return held;
  }

  /** Nothing more is read, nor the end, until all that was read is with the parser. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null || (chunk.length <= sliceBytes && this.#held.length === 0 && bodyPace.isOpen))
      return super.push(chunk);
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    bodyPace.wait(this.#reading);
    return false;
  }

  override _read(size: number): void {
    if (this.#held.length > 0) bodyPace.wait(this.#reading);
    else super._read(size);
  }

  #goOn(): void {
    // Whoever takes a slice may pause the connection, end it, or take the rest.
    while (this.#held.length > 0 && !this.destroyed) {
      const slice = this.#held.subarray(0, sliceBytes);
      this.#held = this.#held.subarray(sliceBytes);
      super.push(slice);
      if (!this.readableFlowing || !bodyPace.isOpen) break;
    }
  }
}
