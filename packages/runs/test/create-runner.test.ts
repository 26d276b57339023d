import type { RunStore, SessionStore } from '@waymark/contract/stores';
import { testHost, verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { createRunner, type RunnerOptions } from '../src/index.ts';

/** A runner over a store that has nothing and notes what it is asked, and a clock that stands still. */
async function started(options: Partial<RunnerOptions> = {}) {
  const asked: unknown[][] = [];
  const answers: Partial<Record<keyof RunStore, unknown>> = {
    ...{ enter: () => {}, due: {}, expire: [], wake: [], take: [], renew: [], prune: 0, endLeases: 0 },
  };
  const store = new Proxy({} as RunStore, {
    get:
      (_, name) =>
      async (...given: unknown[]) => {
        asked.push([name, ...given]);
        return answers[name as keyof RunStore];
      },
  });
  const host = testHost();
  const { plugin } = createRunner({ store, sessions: {} as SessionStore, ...options });
  await plugin.start?.(host);
  await plugin.ready?.();
  const calls = (name: keyof RunStore) =>
    asked.filter(([called]) => called === name).map(([, ...given]) => given);
  return { host, calls, stop: async () => plugin.stop?.() };
}

it('keeps runs that have ended for 7 days, and 100,000 of them, unless it is told otherwise', async () => {
  verifies('run.kept.default');
  const byDefault = await started();
  await byDefault.host.clock.advance(60_000);
  expect(byDefault.calls('prune')).toEqual([[7 * 24 * 3_600_000, 100_000]]);
  await byDefault.stop();
  const told = await started({ keepMs: 5, keepRuns: 6 });
  await told.host.clock.advance(60_000);
  expect(told.calls('prune')).toEqual([[5, 6]]);
  await told.stop();
});

it('takes up to 256 roots for 30 s each when it is ready, and looks each second whether there is more to do', async () => {
  const { host, calls, stop } = await started();
  const [[holder, limit, leaseMs] = []] = calls('take');
  expect([calls('enter'), limit, leaseMs]).toEqual([[[holder, holder]], 256, 30_000]);
  await host.clock.advance(3_000);
  expect(calls('due')).toHaveLength(3);
  expect(calls('take')).toHaveLength(1);
  await stop();
});
