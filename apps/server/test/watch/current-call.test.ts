import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '@waymark/contract/engine';
import { anonymous } from '@waymark/contract/principal';
import { describe, expect, it } from 'vitest';
import { CurrentCall } from '../../src/watch/current-call.ts';

const callOf = (name: string, via = 'mcp', by: Partial<Call> = {}): Call =>
  ({ route: { name }, requestId: `id of ${name}`, via, principal: anonymous(), ...by }) as unknown as Call;
const named = (name: string) => ({ route: name, request_id: `id of ${name}` });

describe('CurrentCall', () => {
  it('blames the call whose work was measured, whoever came before and after it', () => {
    const current = new CurrentCall();
    for (const [name, fromMs, toMs] of [
      ['a', 0, 5],
      ['b', 5, 300],
      ['c', 300, 320],
    ] as const) {
      current.began(callOf(name), fromMs);
      current.ended(toMs);
    }
    expect(current.culprit(325, 310)).toEqual({ call: named('b'), measured: true });
  });

  it('guesses the one behind which most of the time passed, where none was measured for as long', () => {
    const current = new CurrentCall();
    current.began(callOf('a'), 0);
    current.ended(1);
    current.began(callOf('b'), 10);
    current.ended(30);
    current.began(callOf('c'), 350);
    current.ended(351);
    expect(current.culprit(360, 340)).toEqual({ call: named('b'), measured: false });
    current.began(callOf('d'), 400);
    expect(current.culprit(600, 200)).toEqual({ call: named('d'), measured: false });
  });

  it('blames nobody for less than half of a turn, nor for the turn before', () => {
    const current = new CurrentCall();
    expect(current.culprit(100, 100)).toBeUndefined();
    current.began(callOf('a'), 100);
    current.ended(149);
    expect(current.culprit(149, 100)).toBeUndefined();
    current.began(callOf('b'), 200);
    current.ended(500);
    current.culprit(500, 0);
    expect(current.culprit(800, 300)).toBeUndefined();
  });

  it('is known to what an engine leaves behind, and to nobody else', async () => {
    const current = new CurrentCall();
    const seen: unknown[] = [];
    const look = (): void => void seen.push(current.name);
    const answer = current.within(callOf('a'), async () => {
      look();
      setTimeout(look, 1);
      await sleep(1);
      current.within(callOf('b'), look);
      look();
      return 1;
    });
    look();
    expect(await answer).toBe(1);
    look();
    await sleep(5);
    expect(seen).toHaveLength(6);
    expect(seen.filter((one) => one === undefined)).toHaveLength(2);
    expect(seen).toContainEqual(named('b'));
    expect([seen[0], seen[1]]).toEqual([named('a'), undefined]);
  });

  it('tells who began the call: the head of its chain, or an address of those who are nobody', () => {
    const current = new CurrentCall();
    const callerOf = (by: Partial<Call>) => current.within(callOf('a', 'mcp', by), () => current.caller);
    const agent = { id: 'agent:front', rootId: 'alice', authenticated: true, scopes: [] };
    expect(callerOf({ principal: agent, clientAddress: '192.0.2.1' })).toBe('id alice');
    expect(callerOf({ clientAddress: '192.0.2.1' })).toBe('ip 192.0.2.1');
    expect(callerOf({ clientAddress: '2001:db8::1' })).toBe(callerOf({ clientAddress: '2001:db8::2' }));
    expect(current.caller).toBeUndefined();
  });

  it('keeps requests of one connection apart, those that were sent ahead too', async () => {
    const current = new CurrentCall();
    const seen: (readonly [string, unknown, unknown])[] = [];
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      const before = current.name;
      current.within(callOf(path, 'http'), () => {
        setTimeout(() => {
          seen.push([path, before, current.name]);
          response.end();
        }, 1);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(['/a', '/b'].map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
    await expect.poll(() => seen.length).toBe(2);
    client.write('GET /c HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => seen.length).toBe(3);
    expect(seen).toEqual(['/a', '/b', '/c'].map((path) => [path, undefined, named(path)]));
    expect(current.name).toBeUndefined();
    client.destroy();
    server.close();
  });
});
