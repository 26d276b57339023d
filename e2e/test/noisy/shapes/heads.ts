import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ground } from '../ground.ts';
import type { Shape } from './shape.ts';
import { hold, pour, repeat } from './ways.ts';

const most = 15_000;

/** A query of about as many bytes as a head may have. */
function query(member: (i: number) => string): string {
  const parts: string[] = [];
  for (let size = 0, i = 0; size < most; i++) {
    const part = member(i);
    size += part.length + 1;
    parts.push(part);
  }
  return parts.join('&');
}

const asked =
  (member: (i: number) => string): Shape =>
  (ground) => {
    const request = ground.head({ target: `${ground.order.attack.door.target}?${query(member)}` });
    return () => repeat(ground, 8, () => request);
  };

/** Queries and answers of doors that take no body. */
export const queryShapes: Readonly<Record<string, Shape>> = {
  'query: one long value': asked(() => `query=${'x'.repeat(most)}`),
  'query: many names': asked((i) => `k${i}=1`),
  'query: one name often': asked(() => 'query=1'),
  'query: escapes': asked(() => 'query=%F0%9F%98%80%00'),
  'query: none': (ground) => {
    const request = ground.head();
    return () => repeat(ground, 16, () => request);
  },
  'answers: unread': (ground) => {
    const request = Buffer.concat(Array.from({ length: 500 }, () => ground.head()));
    return async () => {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => ground.open()));
      for (const socket of sockets) {
        socket?.pause();
        socket?.write(request);
        ground.count('unread');
      }
      await sleep(ground.leftMs);
    };
  },
};

/** Heads of requests to any door. */
export const headShapes: Readonly<Record<string, Shape>> = {
  'headers: many': (ground) => {
    const headers = Array.from({ length: 90 }, (_, i) => [`x-${i}`, 'v'.repeat(120)] as const);
    const request = ground.head({ headers });
    return () => repeat(ground, 8, () => request);
  },
  'headers: too many': (ground) => {
    const headers = Array.from({ length: 3_000 }, (_, i) => [`x-${i}`, 'v'] as const);
    const request = ground.head({ headers });
    return () => repeat(ground, 8, () => request);
  },
  pipeline: (ground) => {
    const blob = Buffer.concat(Array.from({ length: 2_000 }, () => ground.head({ method: 'GET' })));
    return () => pour(ground, 8, { first: ground.head({ method: 'GET' }), blob });
  },
};

const open = async (ground: Ground): Promise<void> => {
  const socket = await ground.open();
  socket?.end('GET / HTTP/1.1\r\n');
  ground.count('opened');
  socket?.destroy();
};

/** What needs no door. */
export const lineShapes: Readonly<Record<string, Shape>> = {
  'lines: opened and closed': (ground) => async () => {
    while (!ground.isOver) await Promise.all(Array.from({ length: 32 }, () => open(ground)));
  },
  'lines: silent': (ground) => () => hold(ground, 500, Buffer.alloc(0)),
  'lines: half a head': (ground) => () => hold(ground, 500, Buffer.from('GET / HTTP/1.1\r\nx: ')),
  'lines: noise': (ground) => {
    const blob = randomBytes(65_536);
    return () => pour(ground, 8, { first: blob, blob });
  },
  'paths: none of ours': (ground) => () =>
    repeat(ground, 16, (n) => ground.head({ method: 'GET', target: `/nothing/${n}` })),
  'credentials: wrong keys': (ground) => () =>
    repeat(ground, 16, (n) => ground.head({ headers: [['x-api-key', `wrong-key-number-${n}`]] })),
  'credentials: wrong tokens': (ground) => {
    const part = (value: string): string => Buffer.from(value).toString('base64url');
    const claims = `{"sub":"a","exp":4000000000,"scope":"${'x '.repeat(2_700)}"}`;
    const token = `${part('{"alg":"HS256"}')}.${part(claims)}.${'A'.repeat(43)}`;
    const request = ground.head({ headers: [['authorization', `Bearer ${token}`]] });
    return () => repeat(ground, 16, () => request);
  },
};
