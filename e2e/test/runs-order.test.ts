/** In which order code is given what was stored, where a step takes longer than its commit. */
import { expect, it } from 'vitest';
import { runRoute } from './runs/drivers.ts';
import { boss, openState, startEngine } from './runs/engine.ts';

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

it('a call whose question is withdrawn keeps its place among the results', async () => {
  const { database, store } = await openState();
  let seen: number[] = [];
  const note = (seq: number) => () => void seen.push(seq);
  const slow = new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: readonly unknown[]) => {
        // What was withdrawn is read again.
        if (name === 'approval') await turns(20);
        return Reflect.apply(method, target, args);
      };
    },
  });
  const engine = await startEngine(
    database,
    (stage) => [
      runRoute(
        'behaviour',
        'works',
        async (ctx) => {
          seen = [];
          const first = ctx.call('refund');
          const before = first.then(({ ok }) => {
            if (!ok) throw new Error('declined');
          });
          before.catch(() => {});
          const second = ctx.call('refund', { n: 2 }, { after: before });
          void first.then(note(0));
          void second.then(note(1));
          await first;
          for (let seq = 2; seq < 12; seq++) await ctx.call('look').then(note(seq));
          await second;
          return null;
        },
        stage,
      ),
    ],
    { store: slow },
  );
  await engine.call('works');
  const [asked] = await store.approvals({ status: 'pending', limit: 1 });
  await engine.runner.decide(asked?.approvalId ?? '', { approve: false, note: '', by: boss });
  const [root] = await store.list({ limit: 1 });
  const { ops } = await store.load(root?.runId ?? '');
  const stored = ops.toSorted((a, b) => (a.ord ?? 0) - (b.ord ?? 0)).map(({ seq }) => seq);
  expect(root?.status).toBe('completed');
  expect(seen).toEqual(stored);
  engine.life.kill();
  await database.close();
});
