import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logLines } from './log-lines.ts';
import { type Program, startProgram } from './program.ts';
import { ask, Connection, toBytes } from './wire/connection.ts';

async function start(
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly program: Program; readonly port: number }> {
  const program = startProgram('e2e/test/programs/careless.ts', {
    cwd: import.meta.dirname,
    env: { LOG_LEVEL: 'info', ...env },
  });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  const [, found] = await program.saying(/url http:\/\/127\.0\.0\.1:(\d+)\n/);
  return { program, port: Number(found) };
}

const fatal = (program: Program) => logLines(program).filter(({ level }) => level === 'fatal');
const stopping = (program: Program) => logLines(program).filter(({ msg }) => msg === 'stopping');

describe('a failure that a handler leaves behind', () => {
  it.each([
    ['rejection', 'get_rejection'],
    ['chain', 'get_chain'],
    ['timer', 'get_timer'],
    ['immediate', 'get_immediate'],
    ['tick', 'get_tick'],
    ['microtask', 'get_microtask'],
    ['event', 'get_event'],
  ])('is logged with its route and request id, and others are still answered: %s', async (name, route) => {
    verifies('http.shutdown.failure', 'http.shutdown.failure.logged');
    const { program, port } = await start();
    const slow = ask(port, { target: '/slow' });
    await program.saying(/waiting/);
    const answer = await ask(port, { target: `/${name}`, headers: [['x-request-id', 'the-careless-one']] });
    expect(answer).toMatchObject({ status: 200, body: JSON.stringify(name) });
    expect(await slow).toMatchObject({ status: 200, body: '"done"' });
    expect(await program.ended()).toBe(1);
    expect(fatal(program)).toEqual([
      expect.objectContaining({
        ...{ msg: 'nobody handled a failure', route, request_id: 'the-careless-one' },
        error: expect.objectContaining({ type: 'Error', message: 'left behind' }) as unknown,
      }),
    ]);
    expect(stopping(program)).toHaveLength(1);
    expect(program.stderr()).toBe('');
  });

  it('is told with its route where it comes from a handler that has read a body, and from a socket', async () => {
    verifies('http.shutdown.failure.logged');
    const { program, port } = await start();
    const headers = [['content-type', 'application/json']] as const;
    await ask(port, { method: 'POST', target: '/rejection', headers, body: '{"n":1}' });
    expect(await program.ended()).toBe(1);
    expect(fatal(program)).toMatchObject([{ route: 'create_rejection' }]);
    const second = await start();
    new WebSocket(`ws://127.0.0.1:${second.port}/socket`).onerror = () => {};
    expect(await second.program.ended()).toBe(1);
    expect(fatal(second.program)).toMatchObject([{ route: 'get_socket' }]);
  });

  it('turns health to draining, and new requests away', async () => {
    verifies('http.shutdown.failure');
    const { program, port } = await start();
    const slow = ask(port, { target: '/slow' });
    await program.saying(/waiting/);
    await ask(port, { target: '/rejection' });
    await expect.poll(async () => (await ask(port, { target: '/_svc/health' })).status).toBe(503);
    expect(await ask(port, { target: '/slow' })).toMatchObject({ status: 503 });
    expect(await slow).toMatchObject({ status: 200 });
    expect(await program.ended()).toBe(1);
  });

  it('ends the process within shutdownTimeout + 1 s, whatever hangs', async () => {
    verifies('http.shutdown.failure');
    const { program, port } = await start({ SHUTDOWN_TIMEOUT: '0.5' });
    const stuck = await Connection.open(port);
    onTestFinished(() => stuck.close());
    stuck.send(toBytes({ target: '/stuck' }));
    await program.saying(/waiting/);
    const startedMs = performance.now();
    await ask(port, { target: '/rejection' });
    expect(await program.ended()).toBe(1);
    expect(performance.now() - startedMs).toBeGreaterThan(400);
    expect(performance.now() - startedMs).toBeLessThan(3 * 1_500);
  });

  it('cuts nothing short when it comes again', async () => {
    verifies('http.shutdown.failure.again');
    const { program, port } = await start();
    const [slow, kept] = [ask(port, { target: '/slow' }), await Connection.open(port)];
    await program.saying(/waiting/);
    // Both on one connection: the second has begun before either fails.
    kept.send(Buffer.concat(['/late', '/event'].map((target) => toBytes({ target }))));
    expect(await slow).toMatchObject({ status: 200, body: '"done"' });
    expect(await program.ended()).toBe(1);
    expect(fatal(program)).toMatchObject([{ route: 'get_event' }, { route: 'get_late' }]);
    expect(stopping(program)).toHaveLength(1);
    kept.close();
  });

  it('is written no more than twenty times', async () => {
    verifies('http.shutdown.failure.again');
    const { program, port } = await start();
    const slow = ask(port, { target: '/slow' });
    await program.saying(/waiting/);
    await ask(port, { target: '/storm' });
    expect(await slow).toMatchObject({ status: 200 });
    expect(await program.ended()).toBe(1);
    const lines = fatal(program);
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines.length).toBeGreaterThan(1);
  });

  it('does not count as a signal: the first one cuts nothing short, the second one does', async () => {
    verifies('http.shutdown.failure', 'http.shutdown.second-signal');
    const { program, port } = await start();
    const slow = ask(port, { target: '/slow' });
    await program.saying(/waiting/);
    await ask(port, { target: '/rejection' });
    await program.saying(/"fatal"/);
    program.child.kill('SIGTERM');
    expect(await slow).toMatchObject({ status: 200 });
    expect(await program.ended()).toBe(1);

    const second = await start();
    const stuck = ask(second.port, { target: '/stuck' }).catch(() => 'cut');
    await second.program.saying(/waiting/);
    await ask(second.port, { target: '/rejection' });
    await second.program.saying(/"fatal"/);
    const startedMs = performance.now();
    second.program.child.kill('SIGTERM');
    await second.program.saying(/"signal":"SIGTERM"/);
    second.program.child.kill('SIGINT');
    expect(await second.program.ended()).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(6_000);
    await stuck;
  });

  it('while a signal drains turns the exit code to 1', async () => {
    verifies('http.shutdown.failure');
    const { program, port } = await start();
    const slow = ask(port, { target: '/slow' });
    await program.saying(/waiting/);
    await ask(port, { target: '/late' });
    program.child.kill('SIGTERM');
    expect(await slow).toMatchObject({ status: 200 });
    expect(await program.ended()).toBe(1);
    expect(fatal(program)).toMatchObject([{ route: 'get_late' }]);
  });

  it.each([
    ['unhandledRejection', '/rejection'],
    ['uncaughtException', '/timer'],
    ['uncaughtException', '/rejection'],
  ])('is left to an application that listens itself: %s, %s', async (LISTENS, target) => {
    verifies('http.shutdown.failure.own-listener');
    const { program, port } = await start({ LISTENS });
    await ask(port, { target });
    await program.saying(/heard/);
    expect(await ask(port, { target: '/_svc/health' })).toMatchObject({ status: 200 });
    expect(fatal(program)).toEqual([]);
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
  });
});
