import { gzipSync } from 'node:zlib';
import { type Ground, json } from '../ground.ts';
import type { Shape } from './shape.ts';
import { almostMatching, texts } from './texts.ts';
import { hold, pour, repeat } from './ways.ts';

const limitOf = ({ order }: Ground): number => order.attack.door.limit - 64;
const announced = (ground: Ground): Buffer =>
  ground.head({ headers: [json, ['content-length', String(limitOf(ground))]] });
const chunked = (ground: Ground): Buffer =>
  ground.head({ headers: [json, ['transfer-encoding', 'chunked']] });
const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** A body again and again. */
const sent =
  (make: (ground: Ground) => Buffer, lines = 4): Shape =>
  (ground) => {
    const request = ground.request(make(ground));
    return () => repeat(ground, lines, () => request);
  };

/** Bodies of doors that take one. */
export const bodyShapes: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(
    Object.entries(texts).map(([name, make]) => [`body: ${name}`, sent((ground) => make(limitOf(ground)))]),
  ),
  'body: small ones': sent(() => Buffer.from('{"input":"[[say Hi.]]","title":"x"}'), 16),
  'body: no UTF-8': sent((ground) => Buffer.alloc(limitOf(ground), 0xff)),
  'body: compressed': (ground) => {
    const body = gzipSync(Buffer.alloc(limitOf(ground) * 8));
    const request = ground.request(body, { headers: [json, ['content-encoding', 'gzip']] });
    return () => repeat(ground, 8, () => request);
  },
  // Slower than any limit of time looks for, and never whole.
  'body: drop by drop': (ground) => {
    const first = announced(ground);
    return () => hold(ground, 100, first, { bytes: Buffer.from('['), everyMs: 100 });
  },
  'body: left open': (ground) => {
    const first = Buffer.concat([announced(ground), Buffer.alloc(limitOf(ground) - 1, ' ')]);
    return () => hold(ground, 40, first);
  },
  'body: chunks without end': (ground) => {
    const blob = chunk(Buffer.alloc(65_536, ' '));
    const first = chunked(ground);
    return () => pour(ground, 8, { first, blob });
  },
  'body: crumbs': (ground) => {
    const blob = Buffer.concat(Array.from({ length: 5_000 }, () => chunk(Buffer.from(' '))));
    const first = chunked(ground);
    return () => pour(ground, 8, { first, blob });
  },
};

/** Texts that a pattern reads for long, where the door holds its input against one. */
export const patternShapes: Readonly<Record<string, Shape>> = {
  'pattern: body': (ground) => {
    const { limit, patterned } = ground.order.attack.door;
    const members = patterned.map((name) => [name, almostMatching((limit - 200) / patterned.length)]);
    const request = ground.request(Buffer.from(JSON.stringify(Object.fromEntries(members))));
    return () => repeat(ground, 2, () => request);
  },
  'pattern: query': (ground) => {
    const { target, patterned } = ground.order.attack.door;
    const members = patterned.map((name) => `${name}=${almostMatching(15_000 / patterned.length)}`);
    const request = ground.head({ target: `${target}?${members.join('&')}` });
    return () => repeat(ground, 2, () => request);
  },
};
