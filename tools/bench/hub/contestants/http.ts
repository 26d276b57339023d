// node:http that collects frames: `http.ts bare` keeps the last one, `keeps` the last eight of each device; `full` does by
// hand what a hub promises besides.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dressOf, headersOf } from '../../http/headers.ts';
import { listening } from '../../http/listening.ts';
import { announce } from '../../lib/announce.ts';
import { devices, keys } from '../jobs.ts';
import { type EncodedFrame, frameServer } from './frame-server.ts';

const maxFrameBytes = 5_000_000;
const keep = 8;
const perSecond = 100_000;

/** Refused before the body is read: who may not send, what is too large, what comes too fast. Then sniffed and kept. */
function fullServer() {
  const headers = headersOf('full');
  const scopes = new Map([[digest(keys.ingest), new Set(['devices:ingest'])]]);
  const rings = new Map<string, { readonly bytes: Buffer; readonly seq: number; readonly atMs: number }[]>();
  let tokens = perSecond;
  let refilledMs = Date.now();
  let seq = 0;

  const refusalOf = (req: IncomingMessage): number | undefined => {
    const given = scopes.get(digest(String(req.headers['x-api-key'])));
    if (!given) return 401;
    if (!given.has('devices:ingest')) return 403;
    if (Number(req.headers['content-length']) > maxFrameBytes) return 413;
    const nowMs = Date.now();
    tokens = Math.min(perSecond, tokens + ((nowMs - refilledMs) * perSecond) / 1000);
    refilledMs = nowMs;
    return tokens-- < 1 ? 429 : undefined;
  };
  const answer = (res: ServerResponse, status: number, value: object): void => {
    const text = JSON.stringify(value);
    const length = String(text.length);
    res.writeHead(status, [...headers(), 'content-type', 'application/json', 'content-length', length]);
    res.end(text);
  };
  return createServer((req, res) => {
    const refusal = refusalOf(req);
    if (refusal) return answer(res, refusal, { detail: 'refused' });
    const chunks: Buffer[] = [];
    let length = 0;
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxFrameBytes) chunks.push(chunk);
    });
    req.on('end', () => {
      if (length > maxFrameBytes) return answer(res, 413, { detail: 'too large' });
      const bytes = Buffer.concat(chunks, length);
      if (bytes.readUInt16BE(0) !== 0xffd8) return answer(res, 415, { detail: 'no image' });
      const name = /^\/devices\/([\w-]+)\/frames$/.exec(req.url ?? '')?.[1];
      if (name === undefined) return answer(res, 404, { detail: 'not found' });
      const ring = rings.get(name) ?? [];
      rings.set(name, ring);
      ring.push({ bytes, seq: ++seq, atMs: Date.now() });
      if (ring.length > keep) ring.shift();
      return answer(res, 202, { device: name, seq });
    });
    return undefined;
  });
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

/** The last `most` frames of all devices, the oldest overwritten: devices take turns, so that these are the last of each. */
function keepingServer(most: number): ReturnType<typeof frameServer> {
  const frames: EncodedFrame[] = [];
  let next = 0;
  return frameServer((frame) => {
    frames[next++ % most] = frame;
  });
}

const keepAll = process.argv[2] === 'keeps';
const server =
  dressOf(process.argv) === 'full' ? fullServer() : keepingServer(keepAll ? keep * devices.length : 1);
announce(await listening(server));
