import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { logLines } from './log-lines.ts';
import { type Program, startProgram } from './program.ts';
import { ask, type WireRequest } from './wire/connection.ts';

const json = ['content-type', 'application/json'] as const;

/** A server that was slow for as long as a test needs, and the lines about it. */
async function start(): Promise<{
  readonly port: number;
  /** Asks, and looks at the lines: there is one a second, which may be about something else on a machine under load. */
  linesAfter(request: WireRequest): Promise<readonly object[]>;
}> {
  const program: Program = startProgram('e2e/test/programs/careless.ts', {
    cwd: import.meta.dirname,
    env: { LOG_LEVEL: 'info' },
  });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  const [, found] = await program.saying(/url http:\/\/127\.0\.0\.1:(\d+)\n/);
  const port = Number(found);
  // What is loaded at the first request is nobody's fault.
  await ask(port, { target: '/holds/0' });
  const linesAfter = async (request: WireRequest): Promise<readonly object[]> => {
    await ask(port, request);
    return logLines(program).filter(({ msg }) => msg === 'a turn of the event loop took long');
  };
  return { port, linesAfter };
}

it('logs who held up the event loop: a handler, and one that had a body to read', async () => {
  verifies('log.slow-turn');
  const { linesAfter } = await start();
  const one = { target: '/holds/600', headers: [['x-request-id', 'slow-one']] } as const;
  await expect
    .poll(() => linesAfter(one))
    .toContainEqual(expect.objectContaining({ route: 'get_holds_by_ms', request_id: 'slow-one' }));
  const headers = [json, ['x-request-id', 'slow-two']] as const;
  const two = { method: 'POST', target: '/holds', headers, body: '{"ms":600}' } as const;
  await expect
    .poll(() => linesAfter(two))
    .toContainEqual(expect.objectContaining({ route: 'create_holds', request_id: 'slow-two' }));
});

it('names the call that came last where the work was done behind a wait', async () => {
  verifies('log.slow-turn');
  const { linesAfter } = await start();
  const later = { target: '/holds-later/600', headers: [['x-request-id', 'later']] } as const;
  await expect
    .poll(() => linesAfter(later))
    .toContainEqual(
      expect.objectContaining({ last_route: 'get_holds_later_by_ms', last_request_id: 'later' }),
    );
});

it('tells in health how long is waited for it, and that this goes on', async () => {
  verifies('health.event-loop', 'health.event-loop.slow', 'health.troubles', 'health.ready');
  const { port } = await start();
  const health = async (query = ''): Promise<{ status: number; body: Record<string, unknown> }> => {
    const { status, body } = await ask(port, { target: `/_svc/health${query}` });
    return { status, body: JSON.parse(body) as Record<string, unknown> };
  };
  for (let i = 0; i < 4; i++) await ask(port, { target: '/holds/700' });
  const { status, body } = await health();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'degraded',
    troubles: [{ code: 'event-loop-slow', message: expect.stringContaining('event loop') as string }],
  });
  expect(body['event_loop_p99_ms']).toBeGreaterThan(500);
  expect((await health('?ready')).status).toBe(503);
  expect((await health('?live')).status).toBe(200);
  await expect
    .poll(async () => (await health('?ready')).body['status'], { timeout: 60_000, interval: 500 })
    .toBe('ok');
  expect((await health('?ready')).status).toBe(200);
});
