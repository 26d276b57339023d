import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { DeclarationError, defineRoute, toRoute } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { embed } from '../src/index.ts';
import { embedded, serve, witness } from './served.ts';

/** A route that answers when it is told to, or when it is given up. */
function slow() {
  const calls: { readonly answer: (value: string) => void; readonly signal: AbortSignal }[] = [];
  const route = defineRoute('GET', '/slow', { timeoutMs: 60_000 }, (_input, { signal }) => {
    return new Promise<string>((resolve, reject) => {
      calls.push({ answer: resolve, signal });
      signal.addEventListener('abort', () => reject(new Error('given up')));
    });
  });
  return { route, calls };
}

async function ask(url: string): Promise<readonly [number | undefined, string]> {
  const [answer] = (await once(request(url).end(), 'response')) as [IncomingMessage];
  return [answer.statusCode, await text(answer)];
}

describe('close', () => {
  it('lets requests under way finish, closes sockets, and then stops the plugins', async () => {
    verifies('embed.close');
    const told: string[] = [];
    const { route, calls } = slow();
    const feed = toRoute(
      'GET',
      '/feed',
      { kind: 'handler', accept: (peer) => peer.send('hi') },
      { socket: true },
    );
    const plugins = [witness('a', told), witness('b', told)];
    const { attach, listener, close } = await embedded({ routes: [route, feed], plugins });
    const server = attach(createServer(listener()));
    const url = await serve(server);
    const socket = new WebSocket(`${url.replace('http', 'ws')}/feed`);
    await once(socket, 'message');
    const under = ask(`${url}/slow`);
    await expect.poll(() => calls.length).toBe(1);
    const goodbye = once(socket, 'close') as Promise<[CloseEvent]>;
    const closing = close();
    expect((await goodbye)[0].code).toBe(1001);
    // While somebody is waited for, others hear that we are going.
    expect((await ask(`${url}/slow`))[0]).toBe(503);
    told.push('answers');
    calls[0]?.answer('late');
    expect(await under).toEqual([200, '"late"']);
    await closing;
    expect(told).toEqual([
      'a starts',
      'b starts',
      'a is ready',
      'b is ready',
      'answers',
      'b stops',
      'a stops',
    ]);
    expect(server.listening).toBe(false);
  });

  it('is one, however often it is asked for, and needs no server', async () => {
    verifies('embed.close.once');
    const told: string[] = [];
    const waymark = await embedded({ plugins: [witness('a', told)] });
    const first = waymark.close();
    expect(waymark.close()).toBe(first);
    await first;
    expect(waymark.close()).toBe(first);
    expect(told).toEqual(['a starts', 'a is ready', 'a stops']);
    const { attach, close } = await embedded({});
    attach(createServer());
    await close();
  });

  it.each([false, true])('takes no longer than it may, whatever hangs (attached: %s)', async (attached) => {
    verifies('embed.close.bounded');
    const { route, calls } = slow();
    const hanging = witness('hanging', [], { stop: () => new Promise(() => {}) });
    const { attach, listener, close } = await embedded({
      ...{ routes: [route], plugins: [hanging], shutdownTimeoutMs: 50 },
    });
    const server = createServer(listener());
    const url = await serve(attached ? attach(server) : server);
    const under = ask(`${url}/slow`).catch(() => 'cut');
    await expect.poll(() => calls.length).toBe(1);
    const startedMs = performance.now();
    await close();
    // It promises 1,050.
    expect(performance.now() - startedMs).toBeLessThan(4_000);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(await under).toEqual(attached ? 'cut' : [503, expect.any(String)]);
  });

  it('ends the timers of the host, and tells what nobody called by its signal first', async () => {
    verifies('embed.close.timers');
    let host: Host | undefined;
    const plugin = witness('timed', [], {
      start: (given) => {
        host = given;
      },
    });
    const { close } = await embedded({ plugins: [plugin] });
    let fired = false;
    host?.after(60_000, () => {
      fired = true;
    });
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const closing = close();
    expect(host?.signal.aborted).toBe(true);
    await closing;
    const left = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(left).toBeLessThan(timers);
    expect(fired).toBe(false);
  });
});

describe('a start that fails', () => {
  it('stops what was started, and names who failed', async () => {
    verifies('embed.start-fails');
    const told: string[] = [];
    let host: Host | undefined;
    const first = witness('first', told, {
      start: (given) => {
        host = given;
      },
    });
    const bad = witness('bad', told, { start: () => Promise.reject(new Error('no disk')) });
    await expect(embed({ plugins: [first, bad, witness('last', told)] })).rejects.toMatchObject({
      message: 'plugin "bad" failed to start',
      cause: { message: 'no disk' },
    });
    expect(told).toEqual(['first stops']);
    expect(host?.signal.aborted).toBe(true);
    const late = witness('late', told, { ready: () => Promise.reject(new Error('no peer')) });
    await expect(embed({ plugins: [late] })).rejects.toThrow('plugin "late" failed to get ready');
    expect(told).toEqual(['first stops', 'late starts', 'late stops']);
  });

  it('passes on what a plugin found wrong with its declarations', async () => {
    const problem = { declaration: 'thing "a"', rule: 'is not there' };
    const plugin = witness('late', [], {
      start: () => {
        throw new DeclarationError([problem]);
      },
    });
    await expect(embed({ plugins: [plugin] })).rejects.toMatchObject({ problems: [problem] });
  });
});
