import { randomBytes } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Bounds, collectBytes } from '../../src/body/collect-bytes.ts';
import { SoleRequest } from '../../src/server/sole-request.ts';

const bounds = { limit: 1_000_000, announced: undefined, take: () => undefined };

/** A request whose body comes in these pieces, and nobody but us reads it. */
function requestOf(...pieces: readonly Uint8Array[]): IncomingMessage {
  return filled(new SoleRequest(new Socket()), pieces);
}

function filled(req: IncomingMessage, pieces: readonly Uint8Array[]): IncomingMessage {
  for (const piece of pieces) req.push(piece);
  req.push(null);
  return req;
}

/** What is read, and what ends it. */
function collect(req: IncomingMessage, within: Bounds) {
  let end = (_reason: unknown): void => {};
  const result = new Promise<Uint8Array>((resolve, reject) => {
    end = collectBytes(req, within, { arrived: resolve, failed: reject });
  });
  return { result, end };
}

/** A piece with memory of its own, as node hands them out. */
function piece(length = 65_536): Buffer {
  return Buffer.from(new Uint8Array(randomBytes(length)).buffer);
}

describe('collectBytes', () => {
  it('puts the pieces of a body together', async () => {
    const pieces = [piece(), piece(), piece(10)];
    const whole = Buffer.concat(pieces);
    const bytes = await collect(requestOf(...pieces), bounds).result;
    expect(whole.equals(bytes)).toBe(true);
  });

  it('gives back the memory of the pieces at once', async () => {
    const pieces = [piece(), piece()];
    await collect(requestOf(...pieces), bounds).result;
    expect(pieces.map(({ length }) => length)).toEqual([0, 0]);
  });

  it('hands on a body of one piece as it came', async () => {
    const only = piece();
    expect(await collect(requestOf(only), bounds).result).toBe(only);
    expect(only.length).toBe(65_536);
  });

  it('leaves the pieces of other requests alone', async () => {
    const pieces = [piece(), piece()];
    await collect(filled(new IncomingMessage(new Socket()), pieces), bounds).result;
    expect(pieces.map(({ length }) => length)).toEqual([65_536, 65_536]);
  });

  it('leaves pieces alone that somebody listened to who has left', async () => {
    const pieces = [piece(), piece()];
    const req = requestOf(...pieces);
    const hear = (): void => {};
    req.on('data', hear).once('end', () => req.off('data', hear));
    await collect(req, bounds).result;
    expect(pieces.map(({ length }) => length)).toEqual([65_536, 65_536]);
  });

  it('leaves pieces alone that somebody else listens to', async () => {
    const req = requestOf(piece(), piece());
    const kept: Buffer[] = [];
    req.on('data', (chunk: Buffer) => kept.push(chunk));
    const bytes = await collect(req, bounds).result;
    expect(Buffer.concat(kept).equals(bytes)).toBe(true);
  });

  it('puts a body whose length was announced in its place as it comes, and gives back each piece at once', async () => {
    const pieces = [piece(), piece(), piece(10)];
    const whole = Buffer.concat(pieces);
    const req = new SoleRequest(new Socket());
    const { result } = collect(req, { ...bounds, announced: whole.length });
    for (const [i, one] of pieces.entries()) {
      req.push(one);
      await expect.poll(() => one.length).toBe(0);
      expect(pieces.slice(i + 1).every(({ length }) => length > 0)).toBe(true);
    }
    req.push(null);
    const bytes = await result;
    expect(whole.equals(bytes)).toBe(true);
    expect(bytes.buffer.byteLength).toBe(whole.length);
  });

  it.each([true, false])('puts pieces of any size together, announced or not: %s', async (isAnnounced) => {
    for (const lengths of [
      [1, 1, 1],
      [1, 5_000, 1, 1, 1_024, 1],
      [65_536, 1_023, 1_023, 1_023, 1_023, 65_536],
      Array.from({ length: 300 }, (_, i) => (i * 37) % 1_023),
    ]) {
      const pieces = lengths.filter((length) => length > 0).map((length) => piece(length));
      const whole = Buffer.concat(pieces);
      const announced = isAnnounced ? whole.length : undefined;
      const bytes = await collect(requestOf(...pieces), { ...bounds, announced }).result;
      expect(whole.equals(bytes)).toBe(true);
    }
  });

  it('keeps no small piece beside its bytes where others are to come', async () => {
    const pieces = [piece(10), piece(10), piece(10)];
    const req = new SoleRequest(new Socket());
    const { result } = collect(req, bounds);
    for (const one of pieces) req.push(one);
    await expect.poll(() => req.readableLength).toBe(0);
    expect(pieces.map(({ length }) => length)).toEqual([10, 0, 0]);
    req.push(null);
    expect((await result).length).toBe(30);
  });

  it('keeps pieces as they come that others hear, and gives their bytes whole', async () => {
    const pieces = [piece(), piece()];
    const whole = Buffer.concat(pieces);
    const req = requestOf(...pieces);
    req.on('data', () => {});
    const bytes = await collect(req, { ...bounds, announced: whole.length }).result;
    expect(whole.equals(bytes)).toBe(true);
    expect(pieces.map(({ length }) => length)).toEqual([65_536, 65_536]);
  });

  it('takes what else is kept as it comes, and nothing for what was announced', async () => {
    const taken: number[] = [];
    const take = (bytes: number): undefined => void taken.push(bytes);
    const tiny = () => Array.from({ length: 3 }, () => piece(10));
    await collect(requestOf(...tiny()), { ...bounds, announced: 30, take }).result;
    expect(taken).toEqual([]);
    await collect(requestOf(...tiny()), { ...bounds, take }).result;
    expect(taken).toEqual([10, 522, 522]);
  });

  it('reads more than was announced, as somebody in front may have unpacked it', async () => {
    const pieces = [piece(20), piece(20), piece(20)];
    const whole = Buffer.concat(pieces);
    const bytes = await collect(requestOf(...pieces), { ...bounds, announced: 50 }).result;
    expect(whole.equals(bytes)).toBe(true);
  });

  it.each([200_000, undefined])('gives back what came of a body that is cut off: %s', async (announced) => {
    const given: number[] = [];
    const transfer = vi.spyOn(ArrayBuffer.prototype, 'transfer').mockImplementation(function (
      this: ArrayBuffer,
    ) {
      given.push(this.byteLength);
      return this;
    });
    const req = new SoleRequest(new Socket());
    const { result, end } = collect(req, { ...bounds, announced });
    for (const one of [piece(), piece()]) req.push(one);
    await expect.poll(() => req.readableLength).toBe(0);
    end(new Error('gone'));
    // Once more is harmless.
    end(new Error('gone'));
    await expect(result).rejects.toThrow('gone');
    transfer.mockRestore();
    // The copied ones, and what they were copied to; of the other the first one is kept as it came.
    expect(given.sort()).toEqual([announced ?? 65_536, 65_536, 65_536]);
  });

  it('shows each piece as it comes, before its memory is given back', async () => {
    const pieces = [piece(), piece(), piece(10)];
    const whole = Buffer.concat(pieces);
    const seen: Buffer[] = [];
    const bytes = await new Promise<Uint8Array>((resolve, reject) => {
      const check = (one: Uint8Array): void => void seen.push(Buffer.from(one));
      collectBytes(requestOf(...pieces), bounds, { check, arrived: resolve, failed: reject });
    });
    expect(Buffer.concat(seen).equals(bytes)).toBe(true);
    expect(whole.equals(bytes)).toBe(true);
  });

  it('reads no further than a piece that is refused, and gives back what came', async () => {
    const given: number[] = [];
    const transfer = vi.spyOn(ArrayBuffer.prototype, 'transfer').mockImplementation(function (
      this: ArrayBuffer,
    ) {
      given.push(this.byteLength);
      return this;
    });
    onTestFinished(() => transfer.mockRestore());
    const pieces = [piece(), piece(), piece()];
    const failed = vi.fn<(reason: unknown) => void>();
    const check = vi.fn<(one: Uint8Array) => void>(() => {
      if (check.mock.calls.length === 2) throw new Error('not this');
    });
    const req = new SoleRequest(new Socket());
    const arrived = vi.fn<(bytes: Uint8Array) => void>();
    collectBytes(req, { ...bounds, announced: 196_608 }, { check, arrived, failed });
    for (const one of pieces) req.push(one);
    req.push(null);
    await expect.poll(() => failed.mock.calls).toEqual([[new Error('not this')]]);
    expect(check).toHaveBeenCalledTimes(2);
    expect(arrived).not.toHaveBeenCalled();
    expect(req.isPaused()).toBe(true);
    // The first piece, and the room for all of them.
    expect(given).toEqual([65_536, 196_608]);
  });

  it('leaves memory alone that holds other things, too', async () => {
    const pool = piece();
    await collect(requestOf(pool.subarray(0, 100), pool.subarray(100)), bounds).result;
    expect(pool.length).toBe(65_536);
  });
});
