import { setTimeout as sleep } from 'node:timers/promises';
import { toClient } from '@waymark/client-gen';
import { verifies } from '@waymark/contract/testing';
import { createApplication, type RunningApplication } from '@waymark/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withCompiledClient } from './compiled-client.ts';

/** The client's seconds are hundredths here: a route of 40 s is one of 0.4 s. */
const scale = 100;

/** A route that works for as many milliseconds, in an application with that limit. */
function slowApplication(requestTimeout: number, workMs: number) {
  return createApplication('slow', {
    port: 0,
    requestTimeout,
    env: { LOG_LEVEL: 'silent' },
  }).get('/slow', async () => {
    await sleep(workMs);
    return 'done';
  });
}

const program = `import { createClient } from './client.ts';
export const askSlow = (baseUrl: string): Promise<unknown> => createClient({ baseUrl }).getSlow();
`;

interface Program {
  askSlow(baseUrl: string): Promise<unknown>;
}

let running: RunningApplication | undefined;

/** What the client of one application gets of another that is started. */
async function ask(described: ReturnType<typeof slowApplication>, served = described): Promise<unknown> {
  running = await served.listen();
  const { url } = running;
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / scale));
  return withCompiledClient(toClient(described.table, { title: 'Slow' }), program, ({ askSlow }: Program) =>
    askSlow(url),
  );
}

afterEach(async () => {
  vi.restoreAllMocks();
  await running?.close();
});

describe('a generated client', () => {
  it('waits as long as the application works: 40 s where requests may take 120', async () => {
    verifies('client.timeouts');
    expect(await ask(slowApplication(120, 400))).toBe('done');
  });

  it('gives up where the application would have been silent for too long: 35 s by default', async () => {
    verifies('client.timeouts');
    const described = slowApplication(30, 0);
    await expect(ask(described, slowApplication(120, 2_000))).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('is told by the service first', async () => {
    verifies('client.timeouts');
    // In true time: 504 comes after 0.1 s, and the client would wait for 5.1.
    const app = slowApplication(0.1, 2_000);
    running = await app.listen();
    const { url } = running;
    const source = toClient(app.table, { title: 'Slow' });
    await withCompiledClient(source, program, async ({ askSlow }: Program) => {
      await expect(askSlow(url)).rejects.toMatchObject({ status: 504 });
    });
  });
});
