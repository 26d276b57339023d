import { randomBytes } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { collectBytes } from '../../src/body/collect-bytes.ts';
import { SoleRequest } from '../../src/server/sole-request.ts';

const bounds = { limit: 1_000_000, paid: true, take: () => undefined };

/** A request whose body comes in these pieces, and nobody but us reads it. */
function requestOf(...pieces: readonly Uint8Array[]): IncomingMessage {
  return filled(new SoleRequest(new Socket()), pieces);
}

function filled(req: IncomingMessage, pieces: readonly Uint8Array[]): IncomingMessage {
  for (const piece of pieces) req.push(piece);
  req.push(null);
  return req;
}

/** A piece with memory of its own, as node hands them out. */
function piece(length = 65_536): Buffer {
  return Buffer.from(new Uint8Array(randomBytes(length)).buffer);
}

describe('collectBytes', () => {
  it('puts the pieces of a body together', async () => {
    const pieces = [piece(), piece(), piece(10)];
    const whole = Buffer.concat(pieces);
    const bytes = await collectBytes(requestOf(...pieces), bounds).result;
    expect(whole.equals(bytes)).toBe(true);
  });

  it('gives back the memory of the pieces at once', async () => {
    const pieces = [piece(), piece()];
    await collectBytes(requestOf(...pieces), bounds).result;
    expect(pieces.map(({ length }) => length)).toEqual([0, 0]);
  });

  it('hands on a body of one piece as it came', async () => {
    const only = piece();
    expect(await collectBytes(requestOf(only), bounds).result).toBe(only);
    expect(only.length).toBe(65_536);
  });

  it('leaves the pieces of other requests alone', async () => {
    const pieces = [piece(), piece()];
    await collectBytes(filled(new IncomingMessage(new Socket()), pieces), bounds).result;
    expect(pieces.map(({ length }) => length)).toEqual([65_536, 65_536]);
  });

  it('leaves pieces alone that somebody listened to who has left', async () => {
    const pieces = [piece(), piece()];
    const req = requestOf(...pieces);
    const hear = (): void => {};
    req.on('data', hear).once('end', () => req.off('data', hear));
    await collectBytes(req, bounds).result;
    expect(pieces.map(({ length }) => length)).toEqual([65_536, 65_536]);
  });

  it('leaves pieces alone that somebody else listens to', async () => {
    const req = requestOf(piece(), piece());
    const kept: Buffer[] = [];
    req.on('data', (chunk: Buffer) => kept.push(chunk));
    const bytes = await collectBytes(req, bounds).result;
    expect(Buffer.concat(kept).equals(bytes)).toBe(true);
  });

  it('leaves memory alone that holds other things, too', async () => {
    const pool = piece();
    await collectBytes(requestOf(pool.subarray(0, 100), pool.subarray(100)), bounds).result;
    expect(pool.length).toBe(65_536);
  });
});
