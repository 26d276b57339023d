import { setTimeout as sleep } from 'node:timers/promises';
import { type Ground, json } from '../ground.ts';
import { Line } from '../line.ts';
import type { Shape } from './shape.ts';
import { texts } from './texts.ts';
import { hold, repeat } from './ways.ts';

const events = ['accept', 'text/event-stream'] as const;

const message = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params });
const call = message('tools/call', { name: 'list_tickets', arguments: {} });
const encoded = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const batch =
  (one: unknown): Shape =>
  (ground) => {
    const request = ground.request(encoded(Array.from({ length: 50 }, () => one)));
    return () => repeat(ground, 8, () => request);
  };

/** Messages of the MCP door. */
export const mcpShapes: Readonly<Record<string, Shape>> = {
  'mcp: batches of calls': batch(call),
  'mcp: batches of lists': batch(message('tools/list', {})),
  'mcp: batches of nothing': batch(0),
  'mcp: huge arguments': (ground) => {
    const value = texts['many members']?.(900_000).toString() ?? '';
    const body = JSON.stringify(call).replace('{}', () => value);
    const request = ground.request(Buffer.from(body));
    return () => repeat(ground, 4, () => request);
  },
  'mcp: streams': (ground) => {
    const request = ground.request(encoded(call), {
      headers: [json, ['accept', 'application/json, text/event-stream']],
    });
    return () => repeat(ground, 16, () => request);
  },
};

/** A run whose model takes its time. */
const slow = encoded({ input: '[[latency 60000]] [[say Late.]]' });

/** What agents, behaviours and flows keep for their callers. */
export const runShapes: Readonly<Record<string, Shape>> = {
  'runs: new sessions': (ground) => () =>
    repeat(ground, 16, (n) =>
      ground.request(encoded({ input: '[[say Hi.]]', session_id: `s-${process.pid}-${n}` })),
    ),
  'runs: new keys': (ground) => () =>
    repeat(ground, 16, (n) =>
      ground.request(encoded({ input: '[[say Hi.]]' }), {
        headers: [json, ['idempotency-key', `k-${process.pid}-${n}`]],
      }),
    ),
  'runs: event streams, unread': (ground) => {
    const request = ground.request(slow, { headers: [json, events] });
    return () => hold(ground, 300, request);
  },
};

/** Those who follow what somebody began. */
export const followShapes: Readonly<Record<string, Shape>> = {
  'follow: by the thousand': (ground) => async () => {
    const { target } = ground.order.attack.door;
    const id = await begin(ground, target.slice(0, target.indexOf('/runs/')));
    if (id === undefined) return sleep(ground.leftMs);
    ground.count('begun');
    const request = ground.head({ target: target.replace(/[^/]+$/, id), headers: [events] });
    return hold(ground, 1_000, request);
  },
};

/** Begins a run and gives its id, which its events tell. */
async function begin(ground: Ground, target: string): Promise<string | undefined> {
  const line = await Line.open(ground);
  line?.socket.write(ground.request(slow, { method: 'POST', target, headers: [json, events] }));
  while (line?.isOpen && !ground.isOver) {
    const [, id] = /"run_id":"([^"]+)"/.exec(line.text) ?? [];
    if (id !== undefined) return id;
    await line.more();
  }
  return undefined;
}
