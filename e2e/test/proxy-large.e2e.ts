import { createHash, type Hash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { byTier, verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from './program.ts';
import { httpUpstream } from './proxy-upstreams.ts';

const megabyte = 1_048_576;
/** Of a body, megabytes: twice what the memory may grow by. */
const size = byTier({ quick: 60, slow: 60, drill: 100 });

/** So many megabytes, none like the other. */
function megabytes(count: number): Readable {
  const piece = Buffer.alloc(megabyte, 'abcdefghijklm');
  return Readable.from(
    (function* () {
      for (let i = 0; i < count; i++) {
        const one = Buffer.from(piece);
        one.writeUInt32BE(i);
        yield one;
      }
    })(),
    { objectMode: false },
  );
}

async function hashOf(stream: Readable): Promise<string> {
  const hash: Hash = createHash('sha256');
  await pipeline(
    stream,
    new Writable({
      write(chunk: Buffer, _, done) {
        hash.update(chunk);
        done();
      },
    }),
  );
  return hash.digest('hex');
}

/** Sends a body as it comes, and gives the answer as soon as its headers are there. */
function send(url: string, method: string, body: Readable | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const req = request(url, { method }, resolve).on('error', reject);
    if (body) void pipeline(body, req).catch(reject);
    else req.end();
  });
}

describe(`a proxy under bodies of ${size} MB`, () => {
  it('passes them on whole, both ways, in memory that does not grow with them', {
    timeout: 300_000,
  }, async () => {
    verifies('proxy.streams');
    const { url: upstreamUrl } = await httpUpstream((req, res) => {
      const count = Number(new URL(req.url ?? '', 'http://x').searchParams.get('count'));
      if (req.url === '/echo') void pipeline(req, res);
      else if (req.url === '/take') void hashOf(req).then((hash) => res.end(hash));
      else void pipeline(megabytes(count), res);
    });
    const program = startProgram('e2e/test/proxy-program.ts', {
      cwd: import.meta.dirname,
      env: { LOG_LEVEL: 'warn', UPSTREAM: upstreamUrl },
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    const [, url = ''] = await program.saying(/url (\S+)\n/);
    const maxRss = async (): Promise<number> =>
      ((await (await fetch(`${url}/memory`)).json()) as { maxRssBytes: number }).maxRssBytes;
    const pass = async (count: number): Promise<void> => {
      const hash = await hashOf(megabytes(count));
      const taken = await send(`${url}/take`, 'POST', megabytes(count));
      expect((await taken.toArray()).join('')).toBe(hash);
      expect(await hashOf(await send(`${url}/give?count=${count}`, 'GET', undefined))).toBe(hash);
      expect(await hashOf(await send(`${url}/echo`, 'POST', megabytes(count)))).toBe(hash);
    };
    // What buffers, compiled code and garbage take is there after these.
    await pass(size / 4);
    const before = await maxRss();
    await pass(size);
    const grown = (await maxRss()) - before;
    console.log(`grown by ${(grown / megabyte).toFixed(1)} MB from ${(before / megabyte).toFixed(0)} MB`);
    expect(grown).toBeLessThan((size / 2) * megabyte);
  });
});
