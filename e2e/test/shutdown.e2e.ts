import { once } from 'node:events';
import { decodeMessages, verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Program } from './program.ts';
import { startLoaded } from './shutdown-load.ts';
import { ask, Connection, handshake, toBytes } from './wire/connection.ts';

/** Starts the loaded application for one test. */
async function start(
  env: Readonly<Record<string, string>> = {},
): Promise<{ program: Program; port: number }> {
  const started = await startLoaded(env);
  onTestFinished(() => void started.program.child.kill('SIGKILL'));
  return started;
}

async function open(port: number): Promise<Connection> {
  const connection = await Connection.open(port);
  onTestFinished(() => connection.close());
  return connection;
}

/** @returns how long it takes to end, and with which code */
async function end(
  program: Program,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<{ code: number | null; ms: number }> {
  const startedMs = performance.now();
  program.child.kill(signal);
  const code = await program.ended();
  return { code, ms: performance.now() - startedMs };
}

describe('while it drains', () => {
  it('says so in health, turns new requests away, and finishes what is under way', async () => {
    verifies(
      'http.shutdown.health',
      'http.shutdown.live',
      'http.shutdown.new-requests',
      'http.shutdown.in-flight',
    );
    const { program, port } = await start();
    const slow = ask(port, { target: '/while-draining' });
    await program.saying(/waiting/);
    const kept = await open(port);
    program.child.kill('SIGTERM');
    await expect.poll(async () => (await ask(port, { target: '/_svc/health' })).status).toBe(503);
    const health = await ask(port, { target: '/_svc/health' });
    expect(JSON.parse(health.body)).toMatchObject({ status: 'draining' });
    expect((await ask(port, { target: '/_svc/health?live' })).status).toBe(200);
    const refused = await ask(port, { target: '/work/1' });
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.headers.get('connection')).toBe('close');
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    // On a connection from before, too.
    kept.send(toBytes({ target: '/work/2' }));
    expect((await kept.next())?.status).toBe(503);
    await kept.closed;
    expect(await slow).toMatchObject({ status: 200, body: 'false' });
    expect(await program.ended()).toBe(0);
  });

  it('closes a WebSocket with 1001', async () => {
    verifies('http.shutdown.sockets');
    const { program, port } = await start();
    const socket = new WebSocket(`ws://127.0.0.1:${port}/feed`);
    await once(socket, 'message');
    const closed = once(socket, 'close') as Promise<[CloseEvent]>;
    const { code, ms } = await end(program);
    expect((await closed)[0]).toMatchObject({ code: 1001, wasClean: true });
    expect(code).toBe(0);
    expect(ms).toBeLessThan(6_000);
  });
});

describe('nothing holds the exit', () => {
  it.each([
    ['that never sent a request', ''],
    ['that sent half a request line', 'GET /work/1'],
    ['that sent half its headers', 'GET /work/1 HTTP/1.1\r\nhost: localhost\r\nx-half: '],
  ])('not a connection %s', async (_what, bytes) => {
    verifies('http.shutdown.hanging');
    const { program, port } = await start();
    const idle = await open(port);
    if (bytes !== '') idle.send(bytes);
    // One that is kept, so that the server has seen the other before the signal.
    const kept = await open(port);
    kept.send(toBytes({ target: '/work/3' }));
    expect((await kept.next())?.status).toBe(200);
    const { code, ms } = await end(program);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(4000);
    await Promise.all([idle.closed, kept.closed]);
  });

  it('not a handler, a body or a WebSocket that hangs, beyond shutdownTimeout + 1 s', async () => {
    verifies('http.shutdown.hanging', 'http.shutdown.exit');
    const { program, port } = await start({ SHUTDOWN_TIMEOUT: '0.5' });
    const stuck = await open(port);
    stuck.send(toBytes({ target: '/stuck' }));
    const half = await open(port);
    half.send(
      'POST /work HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    // It never answers the closing handshake.
    const deaf = await open(port);
    deaf.send(toBytes({ target: '/feed', headers: handshake }));
    expect((await deaf.next())?.status).toBe(101);
    expect(decodeMessages(await deaf.rest())).toEqual(['ready']);
    await program.saying(/stuck/);
    const { code, ms } = await end(program);
    expect(code).toBe(0);
    expect(ms).toBeGreaterThan(400);
    expect(ms).toBeLessThan(3 * 1_500);
    await Promise.all([stuck.closed, half.closed, deaf.closed]);
  });

  it('not anything once a second signal comes', async () => {
    verifies('http.shutdown.second-signal');
    const { program, port } = await start();
    const stuck = await open(port);
    stuck.send(toBytes({ target: '/stuck' }));
    await program.saying(/stuck/);
    program.child.kill('SIGTERM');
    await expect.poll(async () => (await ask(port, { target: '/_svc/health' })).status).toBe(503);
    const { code, ms } = await end(program, 'SIGINT');
    expect(code).toBe(1);
    expect(ms).toBeLessThan(6_000);
  });
});
