import type { HubBackend } from '@waymark/contract/hub';
import { type TestHost, testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryBackend } from '../../src/backend/memory-backend.ts';
import { PullTurn } from '../../src/pull/pull-turn.ts';
import { alteredBackend } from '../altered-backend.ts';

function stage(backend: HubBackend = createMemoryBackend({ keep: () => 8 })) {
  const host = testHost();
  const turnOf = (holder: string): PullTurn => new PullTurn({ device: 'door', holder, backend, host });
  return { host, backend, a: turnOf('a'), b: turnOf('b'), signal: new AbortController().signal };
}

/** What became of a promise so far. */
function watched(promise: Promise<boolean>): { readonly state: () => unknown } {
  let state: unknown = 'waits';
  promise.then(
    (ours) => {
      state = ours;
    },
    (error: unknown) => {
      state = error;
    },
  );
  return { state: () => state };
}

/** When it has looked once more. */
async function later(host: TestHost, waiting: ReturnType<typeof watched>): Promise<unknown> {
  await host.clock.advance(200);
  return waiting.state();
}

describe('the turn of a camera', () => {
  it('is of one process, and of the next when that one lets go', async () => {
    verifies('scale.redis.pulls');
    const { host, a, b, signal } = stage();
    expect(await a.take(signal)).toBe(true);
    const waiting = watched(b.take(signal));
    await host.clock.advance(1_000);
    expect(waiting.state()).toBe('waits');
    a.end(0);
    await expect.poll(() => later(host, waiting)).toBe(true);
    b.end(0);
  });

  it('need not come for who waits while another brings a picture', async () => {
    const { host, backend, a, b, signal } = stage();
    await a.take(signal);
    const waiting = watched(b.take(signal));
    await host.clock.advance(0);
    await backend.publishTelemetry('door', { data: 1, atMs: 1 });
    await host.clock.advance(200);
    expect(waiting.state()).toBe('waits');
    await backend.publishFrame('door', { mediaType: 'image/png', bytes: new Uint8Array(3), atMs: 1 });
    await expect.poll(() => waiting.state()).toBe(false);
    a.end(0);
  });

  it('is waited for no longer than who waits wants to', async () => {
    const { host, a, b } = stage();
    const abort = new AbortController();
    await a.take(abort.signal);
    const waiting = watched(b.take(abort.signal));
    await host.clock.advance(0);
    abort.abort(new Error('enough'));
    await expect.poll(() => later(host, waiting)).toMatchObject({ message: 'enough' });
    a.end(0);
  });

  it('is everybody’s own while nobody can say', async () => {
    const away = alteredBackend(createMemoryBackend({ keep: () => 8 }), {
      claim: async () => {
        throw new Error('away');
      },
    });
    const { a, b, signal } = stage(away);
    expect([await a.take(signal), await b.take(signal)]).toEqual([true, true]);
    a.end(0);
    b.end(0);
  });
});
