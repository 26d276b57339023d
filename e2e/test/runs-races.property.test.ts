/** Decisions, expiry, cancelling and shutdown at any moment, against each other and against the run itself. */
import { byTier } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { boss, openState, startEngine } from './runs/engine.ts';
import { randoms } from './runs/sample.ts';
import { shapes } from './runs/shapes.ts';
import { check } from './runs/simulate.ts';
import { World } from './runs/world.ts';

const moments = byTier({ quick: 3, slow: 4, drill: 12 });
const ended = ['completed', 'failed', 'cancelled', 'budget_exhausted'];

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

describe.each(shapes.map((shape, i) => ({ shape, name: shape.name, i })))('races: $name', ({ shape, i }) => {
  it('decisions of two humans and of the clock, and somebody who cancels', async () => {
    const random = randoms(100 + i);
    for (let moment = 0; moment < moments; moment++) {
      const { database, store } = await openState();
      const world = new World();
      const engine = await startEngine(database, shape.routes, { world });
      const answer = engine.call(shape.start, shape.input);
      const cancels = random() < 0.5;
      for (let round = 0; round < 40; round++) {
        await turns(Math.floor(random() * 12));
        const [root] = await store.list({ limit: 1 });
        if (root && ended.includes(root.status)) break;
        const pending = await store.approvals({ status: 'pending', limit: 10 });
        const one = pending[Math.floor(random() * pending.length)];
        const acts: Promise<unknown>[] = [];
        if (one) {
          if (random() < 0.3)
            await database.write([
              { sql: 'update svc__approval set expires_ms = 0 where id = ?', args: [one.approvalId] },
            ]);
          acts.push(engine.runner.decide(one.approvalId, { approve: random() < 0.6, note: '', by: boss }));
          acts.push(engine.runner.decide(one.approvalId, { approve: random() < 0.6, note: '', by: boss }));
          acts.push(store.expire());
        }
        if (root && cancels && round > 3 && random() < 0.3) acts.push(engine.runner.cancel(root.runId, boss));
        const done = await Promise.allSettled(acts);
        const decided = one ? done.slice(0, 2).filter(({ status }) => status === 'fulfilled').length : 0;
        expect(decided).toBeLessThanOrEqual(1);
        // What expired is taken up by the next engine here: this one has no clock.
        const [after] = await store.list({ limit: 1 });
        if (after?.status === 'ready') {
          engine.life.kill();
          await endLeases(database);
          const next = await startEngine(database, shape.routes, { world });
          Object.assign(engine, { runner: next.runner, life: next.life });
        }
      }
      const [root] = await store.list({ limit: 1 });
      if (root && !ended.includes(root.status)) await engine.runner.cancel(root.runId, boss).catch(() => {});
      await Promise.race([answer, turns(200)]);
      await turns(20);
      await check(world, await store.load(root?.runId ?? ''), database);
      engine.life.kill();
      await database.close();
    }
  });
});
