import { problemResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { watch } from '../src/index.ts';
import { type Process, settle, World } from './stage.ts';

const guard = watch('yard', { device: 'door', agent: 'guard', input: 'Who is there?', every: 10 });

/** A world whose agent answers at once. */
function answering(output = 'Nobody.'): World {
  const world = new World();
  world.agent = () => ({ status: 'completed', output });
  return world;
}

describe('a watcher', () => {
  it('runs its agent at once with what there is, and publishes what that says', async () => {
    const world = answering();
    world.show({ frame: 'a', telemetry: { lux: 3 } });
    const { named } = await world.start(guard);
    expect(world.calls).toMatchObject([
      {
        via: 'watcher',
        transient: true,
        route: { name: 'guard' },
        principal: { id: 'watcher:yard', rootId: 'watcher:yard', authenticated: true, scopes: [] },
        input: {
          by: 'arguments',
          values: {
            input: 'Who is there?\n\n{"lux":3}',
            images: [{ media_type: 'image/png', data: btoa('a') }],
          },
        },
      },
    ]);
    const [runId = ''] = world.runs.keys();
    expect(world.insights).toEqual([
      {
        type: 'insight',
        ...{ watcher: 'yard', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
        ...{ output: 'Nobody.', error: null, run_id: runId, tokens: 42, cost_micros: 500 },
        at_ms: world.clock.now(),
      },
    ]);
    expect(world.runs.get(runId)?.run.acknowledged).toBe('completed');
    expect(named).toEqual(['door: yard']);
  });

  it('runs nothing while nothing changes, and once for each change', async () => {
    const world = answering();
    await world.start(guard);
    await world.clock.advance(60_000);
    expect(world.calls).toHaveLength(0);
    world.show({ frame: 'a' });
    await world.clock.advance(60_000);
    expect(world.calls).toHaveLength(1);
    // The same picture again, under another number.
    world.show({ frame: 'a' });
    await world.clock.advance(60_000);
    expect(world.calls).toHaveLength(1);
    world.show({ telemetry: 1 });
    await world.clock.advance(60_000);
    world.show({ frame: 'b' });
    await world.clock.advance(60_000);
    expect(world.insights.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('looks every so many seconds, and runs at each tick where it is told to', async () => {
    verifies('watcher.only-on-change');
    const world = answering();
    world.show({ frame: 'a' });
    await world.start(
      watch('yard', { device: 'door', agent: 'guard', every: 2, onlyOnChange: false, maxRunsPerHour: 9_000 }),
    );
    for (let i = 0; i < 30; i++) {
      await world.clock.advance(2_000);
      await settle();
    }
    expect([world.looks, world.calls.length]).toEqual([31, 31]);
    expect(world.calls[0]?.input).toMatchObject({ values: { input: 'This is what "door" shows now.' } });
  });

  it('has one run at a time, whatever changes meanwhile, and then looks at what there is', async () => {
    const world = new World();
    const ends: (() => void)[] = [];
    world.agent = () => new Promise((resolve) => ends.push(() => resolve({ status: 'completed' })));
    await world.start(guard);
    for (const frame of ['a', 'b', 'c']) {
      world.show({ frame });
      await world.clock.advance(10_000);
      await settle();
    }
    expect(world.calls).toHaveLength(1);
    ends[0]?.();
    await settle();
    await world.clock.advance(10_000);
    await settle();
    ends[1]?.();
    await settle();
    await world.clock.advance(60_000);
    expect(world.insights.map(({ seq }) => seq)).toEqual([1, 3]);
  });

  it('looks 8,641 times in a day, and runs its agent for each of a thousand pictures', async () => {
    const world = answering();
    await world.start(watch('yard', { device: 'door', agent: 'guard', every: 10 }));
    for (let i = 0; i < 1_000; i++) {
      world.show({ frame: `picture ${i}` });
      await world.clock.advance(86_400);
      // Runs end between two looks.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await settle();
    expect([world.looks, world.calls.length]).toEqual([8_641, 1_000]);
    expect(world.insights.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
  });

  it('does not repeat a run that failed until something changes', async () => {
    const world = new World();
    world.agent = () => ({ status: 'failed', error: 'the provider is out', code: 'provider' });
    world.show({ frame: 'a' });
    await world.start(guard);
    await world.clock.advance(600_000);
    expect(world.insights).toMatchObject([
      { status: 'failed', error: 'the provider is out', output: '', seq: 1 },
    ]);
    world.show({ frame: 'b' });
    await world.clock.advance(10_000);
    await settle();
    expect(world.insights).toHaveLength(2);
  });

  it('publishes what its agent would not begin with, and does not repeat that either', async () => {
    const world = answering();
    world.refusal = problemResponse(422, '/images/0/data must be at most 5242880 bytes');
    world.show({ frame: 'a' });
    await world.start(guard);
    await world.clock.advance(60_000);
    expect(world.insights).toMatchObject([
      {
        status: 'failed',
        error: '/images/0/data must be at most 5242880 bytes',
        run_id: '',
        cost_micros: null,
      },
    ]);
  });

  it('publishes it later where the store fails', async () => {
    const world = answering();
    world.refusal = problemResponse(422, 'no such thing');
    world.show({ frame: 'a' });
    const { insights } = world.stores;
    const { publish } = insights;
    Object.assign(insights, { publish: () => Promise.reject(new Error('the disk is full')) });
    await world.start(guard);
    expect(world.insights).toEqual([]);
    Object.assign(insights, { publish });
    await world.clock.advance(20_000);
    await settle();
    expect(world.insights).toMatchObject([{ status: 'failed', error: 'no such thing', run_id: '' }]);
  });

  it('cuts an answer that is too long for everybody who comes in, and keeps the whole with its run', async () => {
    const limit = 65_536;
    for (const [said, told] of [
      ['x'.repeat(limit), 'x'.repeat(limit)],
      ['x'.repeat(limit + 1), `${'x'.repeat(limit - 1)}…`],
      // No half of a character is left.
      ['😀'.repeat(limit), `${'😀'.repeat(limit / 2 - 1)}…`],
      [`x${'😀'.repeat(limit)}`, `x${'😀'.repeat(limit / 2 - 1)}…`],
    ]) {
      const world = answering(said);
      world.show({ frame: 'a' });
      await world.start(guard);
      expect(world.insights.map(({ output }) => output === told)).toEqual([true]);
    }
  });

  it('tries again what the service could not do, without an insight', async () => {
    const world = answering();
    world.refusal = problemResponse(503, 'the database is busy');
    world.show({ frame: 'a' });
    await world.start(guard);
    await world.clock.advance(10_000);
    await settle();
    expect([world.calls.length, world.insights.length]).toEqual([2, 0]);
    world.refusal = undefined;
    await world.clock.advance(10_000);
    await settle();
    expect(world.insights).toMatchObject([{ status: 'completed' }]);
  });

  it('skips the tick at which its camera gives no picture', async () => {
    const world = answering();
    world.look = () => Promise.reject(new Error('no route to host'));
    const process = await world.start(guard);
    await world.clock.advance(30_000);
    expect([world.looks, world.calls.length]).toEqual([4, 0]);
    expect(await rowOf(process)).toMatchObject({ status: 'failing' });
    world.show({ frame: 'a' });
    world.look = () => world.sight;
    await world.clock.advance(10_000);
    await settle();
    expect([world.insights.length, (await rowOf(process)).status]).toEqual([1, 'ok']);
  });
});

describe('the ceiling of a watcher', () => {
  it('gives no more runs when the clock on the wall is set, and an hour by the other clock does', async () => {
    verifies('watcher.max-runs.monotonic');
    const world = answering();
    const process = await world.start(
      watch('yard', { device: 'door', agent: 'guard', every: 10, maxRunsPerHour: 3, onlyOnChange: false }),
    );
    world.show({ frame: 'a' });
    for (let i = 0; i < 6; i++) {
      await world.clock.advance(10_000);
      await settle();
    }
    expect([world.calls.length, (await rowOf(process)).status]).toEqual([3, 'limited']);
    for (const step of [2, -5, 30]) {
      world.clock.step(step * 3_600_000);
      await world.clock.advance(600_000);
      await settle();
    }
    expect(world.calls).toHaveLength(3);
    await world.clock.advance(3_600_000);
    await settle();
    expect(world.calls.length).toBeGreaterThan(3);
  });

  it('is told once an hour', async () => {
    const world = answering();
    world.show({ frame: 'a' });
    const { host } = await world.start(
      watch('yard', { device: 'door', agent: 'guard', every: 10, maxRunsPerHour: 1, onlyOnChange: false }),
    );
    for (let i = 0; i < 300; i++) {
      await world.clock.advance(10_000);
      await settle();
    }
    expect(host.events.filter(({ kind }) => kind === 'watcher_limited')).toHaveLength(1);
  });
});

describe('a run that waits for a human', () => {
  it('is told once, lets the next one begin, and is told again when it ends', async () => {
    const world = new World();
    world.agent = () => ({ status: 'awaiting_approval' });
    world.show({ frame: 'a' });
    const process = await world.start(guard);
    await settle();
    await world.clock.advance(5_000);
    expect(world.insights).toMatchObject([{ status: 'awaiting_approval', seq: 1 }]);
    const [first = ''] = world.runs.keys();
    world.show({ frame: 'b' });
    await world.clock.advance(10_000);
    await settle();
    expect(world.calls).toHaveLength(2);
    expect(await rowOf(process)).toMatchObject({ parked: 2, status: 'ok' });
    world.set(first, { status: 'completed', output: 'I opened it.' });
    await world.clock.advance(2_000);
    expect(world.insights.at(-1)).toMatchObject({
      run_id: first,
      seq: 1,
      status: 'completed',
      output: 'I opened it.',
    });
    // It has taken the place of the first in the listing.
    const kept = await world.stores.insights.recent('door', 32);
    expect(kept.map(({ run_id, status }) => [run_id === first, status])).toEqual([
      [false, 'awaiting_approval'],
      [true, 'completed'],
    ]);
    expect(world.insights).toHaveLength(3);
    expect(await rowOf(process)).toMatchObject({ parked: 1 });
  });

  it('is told again within two seconds of its end, also right after it began to wait', async () => {
    const world = new World();
    world.agent = () => ({ status: 'awaiting_approval' });
    world.show({ frame: 'a' });
    await world.start(guard);
    await settle();
    const [first = ''] = world.runs.keys();
    world.set(first, { status: 'completed', output: 'I opened it.' });
    await world.clock.advance(2_000);
    expect(world.insights.map(({ status }) => status)).toEqual(['awaiting_approval', 'completed']);
  });

  it('stops the watcher when it is the third', async () => {
    verifies('watcher.parked.three');
    const world = new World();
    world.agent = () => ({ status: 'awaiting_approval' });
    const process = await world.start(guard);
    for (const frame of ['a', 'b', 'c', 'd', 'e']) {
      world.show({ frame });
      await world.clock.advance(10_000);
      await settle();
    }
    expect(world.calls).toHaveLength(3);
    expect(await rowOf(process)).toMatchObject({ parked: 3, status: 'parked' });
    const [first = ''] = world.runs.keys();
    world.set(first, { status: 'cancelled' });
    await world.clock.advance(10_000);
    await settle();
    expect(world.calls).toHaveLength(4);
    expect(world.insights.map(({ status }) => status)).toContain('cancelled');
  });
});

describe('over a restart', () => {
  it.each([
    ['of a service that stops is told by the next one, and is no error', true, 'debug'],
    ['is told when its store is there again', false, 'error'],
  ])('a run whose end could not be published %s', async (_, stops, level) => {
    const world = new World();
    let end = (): void => {};
    world.agent = () =>
      new Promise((resolve) => {
        end = () => resolve({ status: 'completed' });
      });
    world.show({ frame: 'a' });
    const first = await world.start(guard);
    const { insights } = world.stores;
    const { publish } = insights;
    Object.assign(insights, { publish: () => Promise.reject(new Error('it is closed')) });
    if (stops) {
      await first.plugin.stop?.();
      first.host.shutdown();
    }
    end();
    await settle();
    expect(first.host.logs.map((line) => line.level)).toEqual([level]);
    Object.assign(insights, { publish });
    if (stops) await world.start(guard);
    await world.clock.advance(3_000);
    await settle();
    expect(world.insights).toMatchObject([{ status: 'completed' }]);
  });

  it('an unchanged picture gives no second run, and a changed one does', async () => {
    const world = answering();
    world.show({ frame: 'a', telemetry: { lux: 3 } });
    const first = await world.start(guard);
    await settle();
    await first.plugin.stop?.();
    world.show({ frame: 'a', telemetry: { lux: 3 } });
    const second = await world.start(guard);
    await world.clock.advance(60_000);
    expect([world.calls.length, (await rowOf(second)).last_run_id]).toEqual([1, [...world.runs.keys()][0]]);
    world.show({ telemetry: { lux: 4 } });
    await world.clock.advance(10_000);
    await settle();
    expect(world.calls).toHaveLength(2);
  });

  it('a run that another process left is waited for, then told', async () => {
    const world = new World();
    world.show({ frame: 'a' });
    const first = await world.start(guard);
    await settle();
    first.killed = true;
    world.agent = () => ({ status: 'completed' });
    world.show({ frame: 'b' });
    await world.start(guard);
    await world.clock.advance(60_000);
    expect(world.calls).toHaveLength(1);
    const [runId = ''] = world.runs.keys();
    world.set(runId, { status: 'completed', output: 'Late.' });
    await world.clock.advance(20_000);
    await settle();
    expect(world.insights).toMatchObject([{ run_id: runId, seq: 1, output: 'Late.' }, { seq: 2 }]);
  });

  it('a run of a watcher that is declared no more is not looked after for good', async () => {
    const world = new World();
    world.show({ frame: 'a' });
    const first = await world.start(guard);
    first.killed = true;
    const [runId = ''] = world.runs.keys();
    const other = watch('gate', { device: 'door', agent: 'guard', every: 10 });
    await world.start(other);
    await world.clock.advance(20_000);
    expect(world.runs.get(runId)?.run.acknowledged).toBeNull();
    world.set(runId, { status: 'failed', code: 'caller_gone' });
    await world.clock.advance(20_000);
    expect([world.runs.get(runId)?.run.acknowledged, world.insights]).toEqual(['failed', []]);
  });

  it('a process that leads again asks for open runs once each second, however slow the store was', async () => {
    const world = new World();
    world.show({ frame: 'a' });
    await world.start(guard);
    const { leases } = world.stores;
    const { acquire } = leases;
    let answer = (): void => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let asked = 0;
    world.asked = () => (++asked === 1 ? slow : undefined);
    const second = world.clock.advance(1_000);
    await settle();
    Object.assign(leases, { acquire: async () => undefined });
    await Promise.race([second, world.clock.advance(1_000)]);
    await settle();
    Object.assign(leases, { acquire });
    await world.clock.advance(1_000);
    await settle();
    answer();
    await settle();
    await world.clock.advance(5_000);
    asked = 0;
    for (let i = 0; i < 10; i++) {
      await world.clock.advance(1_000);
      await settle();
    }
    expect(asked).toBe(10);
  });

  it('a run of a device that is declared no more ends, and keeps its watcher from nothing', async () => {
    const world = new World();
    world.agent = () => ({ status: 'awaiting_approval' });
    world.show({ frame: 'a' });
    const first = await world.start(guard);
    await settle();
    first.killed = true;
    const [runId = ''] = world.runs.keys();
    world.camera = 'gate';
    world.sight = { status: 'offline' };
    const second = await world.start(
      watch('yard', { device: 'gate', agent: 'guard', input: 'Who is there?', every: 10 }),
    );
    await world.clock.advance(5_000);
    expect(await rowOf(second)).toMatchObject({ parked: 1 });
    world.set(runId, { status: 'completed', output: 'I opened it.' });
    await world.clock.advance(5_000);
    await settle();
    expect(await rowOf(second)).toMatchObject({ parked: 0 });
    expect(world.runs.get(runId)?.run.acknowledged).toBe('completed');
    expect(world.insights.map(({ status }) => status)).toEqual(['awaiting_approval']);
    expect(second.host.logs.map(({ level }) => level)).toEqual(['warn']);
  });

  it('a picture whose run was interrupted is judged again', async () => {
    const world = new World();
    world.show({ frame: 'a' });
    const first = await world.start(guard);
    await settle();
    first.killed = true;
    const [runId = ''] = world.runs.keys();
    world.set(runId, { status: 'failed', code: 'interrupted', error: 'the process ended' });
    world.agent = () => ({ status: 'completed', output: 'Nobody.' });
    await world.start(guard);
    await world.clock.advance(20_000);
    await settle();
    expect(world.insights.map(({ status, seq }) => [status, seq])).toEqual([
      ['failed', 1],
      ['completed', 1],
    ]);
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'nothing is told twice and nothing is lost when the process dies at moment %i',
    async (dieAt) => {
      const world = new World();
      world.dieAt = dieAt;
      world.agent = () => ({ status: 'completed' });
      world.show({ frame: 'a' });
      const first = await world.start(guard);
      await world.clock.advance(2_000);
      await settle();
      // Publishing and acknowledging are two commits.
      expect(first.killed).toBe(dieAt >= 1 && dieAt <= 4);
      await world.clock.advance(5_000);
      await world.start(guard);
      await world.clock.advance(20_000);
      await settle();
      expect(world.insights).toMatchObject([{ seq: 1, status: 'completed' }]);
      expect(world.calls).toHaveLength(1);
      expect([...world.runs.values()].map(({ run }) => run.acknowledged)).toEqual(['completed']);
    },
  );
});

/** The row of the listing of the first watcher. */
async function rowOf({ plugin }: Process): Promise<Readonly<Record<string, unknown>>> {
  const [listing] = plugin.routes;
  const answer = (await listing?.engine.answer?.({} as never)) as {
    readonly watchers: readonly Readonly<Record<string, unknown>>[];
  };
  return answer.watchers[0] ?? {};
}
