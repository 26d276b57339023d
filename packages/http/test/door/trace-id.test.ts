import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { traceIdOf } from '../../src/door/trace-id.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

describe('traceIdOf', () => {
  it.each([
    `00-${trace}-${parent}-01`,
    `00-${trace}-${parent}-00`,
    `cc-${trace}-${parent}-01`,
    `cc-${trace}-${parent}-01-what-the-future-will-be-like`,
  ])('reads %s', (header) => {
    expect(traceIdOf(header)).toBe(trace);
  });

  it.each([
    undefined,
    '',
    `00-${trace}-${parent}`,
    `00-${trace}-${parent}-01-more`,
    `cc-${trace}-${parent}-01.more`,
    `ff-${trace}-${parent}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}0-${parent}-01`,
    `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`,
  ])('ignores %s', (header) => {
    expect(traceIdOf(header)).toBeUndefined();
  });
});

describe('the log line of a request that belongs to a trace', () => {
  const page: FakeRoute = { method: 'GET', path: '/page' };
  const feed: FakeRoute = { method: 'GET', path: '/feed', accept: (peer) => peer.close(1000, '') };

  it('names the trace, for requests and upgrades, whatever the answer', async () => {
    verifies('log.trace-id');
    const door = await openDoor([page, feed]);
    const headers = { traceparent: `00-${trace}-${parent}-01` };
    await fetch(`${door.url}/page`, { headers });
    await fetch(`${door.url}/missing`, { headers });
    const socket = new WebSocket(`${door.url.replace('http', 'ws')}/feed`);
    await new Promise((resolve) => {
      socket.onclose = resolve;
    });
    const lines = door.logs.map(({ message, fields }) => [message, fields['path'], fields['trace_id']]);
    expect(lines).toEqual([
      ['request', '/page', trace],
      ['request', '/missing', trace],
      ['upgrade', '/feed', undefined],
    ]);
  });

  it('says nothing of a header that is none', async () => {
    const { url, logged } = await openDoor([page]);
    await fetch(`${url}/page`, { headers: { traceparent: 'not one' } });
    expect((await logged(({ message }) => message === 'request')).fields).not.toHaveProperty('trace_id');
  });
});
