import type { Json, Progress } from '@waymark/contract';
import type { RunStep } from '@waymark/contract/runs';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, type Ctx, runRoute, type Stage } from './runs/drivers.ts';
import { boss, desk, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { seqOf } from './runs/seq-of.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop();
});

type Body = (ctx: Ctx) => Promise<Json>;

async function served(bodies: Readonly<Record<string, Body>>, options: EngineOptions = {}) {
  const { database, store } = await openState();
  const routes = (stage: Stage) => [
    runRoute('agent', 'clerk', agent([{ calls: [{ tool: 'refund', args: {} }] }, { text: 'done' }]), stage),
    ...Object.entries(bodies).map(([name, body]) => runRoute('behaviour', name, body, stage)),
  ];
  const engine = await startEngine(database, routes, options);
  engines.push(engine);
  return { engine, store };
}

/** A promise that a test settles. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A step that writes before it is stored. */
function write(ctx: Ctx, pieces: readonly string[], until: Promise<void> = Promise.resolve()): Promise<Json> {
  const spec = { kind: 'model', name: 'm', input: null, repeat: 'safe' } as const;
  return ctx.scope.op<Json>(spec, async () => {
    for (const text of pieces) ctx.scope.write({ agent: 'desk', text });
    await until;
    return { value: pieces.join('') };
  });
}

const never = new AbortController().signal;
const named = ({ event, data }: Progress): string =>
  event === 'step' ? (data as RunStep).kind : event === 'delta' ? textOf(data) : event;

function textOf(data: unknown): string {
  const { text = '', restart } = data as { readonly text?: string; readonly restart?: true };
  return restart ? `^${text}` : text;
}

async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (let i = 0; i < 5_000; i++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise(setImmediate);
  }
  throw new Error('it does not come');
}

describe('whoever starts a run and listens', () => {
  it('knows it before its first step', async () => {
    verifies('run.named-at-once');
    const model = gate();
    const { engine, store } = await served({ long: (ctx) => write(ctx, [], model.opened) });
    const told: Progress[] = [];
    const ids: string[] = [];
    const answer = engine.call(
      'long',
      {},
      { observe: (event) => void told.push(event), onRun: (id) => void ids.push(id) },
    );
    await until(() => (told.length > 0 ? true : undefined));
    const [{ runId } = { runId: '' }] = await store.list({ limit: 1 });
    expect(ids).toEqual([runId]);
    expect(told).toEqual([
      { event: 'run', data: { run_id: runId, location: `/behaviours/long/runs/${runId}` } },
    ]);
    model.open();
    expect((await answer).status).toBe(200);
  });

  it('is told no place where it could not read', async () => {
    verifies('run.named-at-once');
    const { engine } = await served({ short: async () => 'done' });
    const told: Progress[] = [];
    const principal = { id: 'anonymous', rootId: 'anonymous', authenticated: false, scopes: ['use'] };
    await engine.call('short', {}, { principal, observe: (event) => void told.push(event) });
    expect(told).toEqual([{ event: 'run', data: { run_id: expect.any(String) as string } }]);
  });

  it('is told what whoever reads later is told, and then that it waits', async () => {
    verifies('run.read-on', 'run.waiting-event');
    const { engine } = await served({});
    const told: Progress[] = [];
    const waits = await engine.call('clerk', {}, { observe: (event) => void told.push(event) });
    expect(waits.status).toBe(202);
    const { run_id: runId, pending_approvals } = json<{ run_id: string; pending_approvals: Json[] }>(waits);
    const later: Progress[] = [];
    for await (const event of engine.runner.follow(runId, 'clerk', 0, desk, never)) {
      if (event.event === 'waiting') {
        expect(event.data).toEqual({ run_id: runId, status: 'awaiting_approval', pending_approvals });
        break;
      }
      later.push(event);
    }
    expect(told.map(named)).toEqual(['run', 'model', 'approval_requested']);
    expect(told.slice(1)).toEqual(later.slice(1));
  });

  it('again with the same key is told all of it', async () => {
    const model = gate();
    const { engine } = await served({
      long: async (ctx) => [await write(ctx, ['one']), await write(ctx, ['two'], model.opened)],
    });
    const input = {
      by: 'request',
      method: 'POST',
      path: '/behaviours/long',
      headers: { 'idempotency-key': 'k', 'content-type': 'application/json' },
      body: {
        contentType: 'application/json',
        contentLength: 2,
        read: async () => new TextEncoder().encode('{}'),
        stream: () => new Blob(['{}']).stream(),
      },
      params: {},
      search: '',
    } as const;
    const first = engine.call('long', {}, { input });
    const told: Progress[] = [];
    const second = engine.call('long', {}, { input, observe: (event) => void told.push(event) });
    await until(() => (told.some((event) => named(event) === 'two') ? true : undefined));
    model.open();
    expect(json(await second)).toEqual(json(await first));
    // What the first step writes may be over by then.
    expect(told.map(named).filter((name) => name !== 'one')).toEqual(['run', 'model', 'two', 'model']);
  });

  it('sets the pace, and the run waits for nobody', async () => {
    verifies('run.read-on');
    const { engine } = await served({
      many: async (ctx) => {
        for (let i = 0; i < 200; i++) await write(ctx, [`${i} `]);
        return 'done';
      },
    });
    const ids: number[] = [];
    const room = gate();
    let waits = 0;
    const answer = engine.call(
      'many',
      {},
      {
        observe: (event) => void (event.event === 'step' && ids.push(seqOf(event))),
        room: () => {
          waits++;
          return ids.length === 3 ? room.opened : undefined;
        },
      },
    );
    await until(() => (engine.events.some(({ kind }) => kind === 'run_finished') ? true : undefined));
    expect(ids).toHaveLength(3);
    room.open();
    expect((await answer).status).toBe(200);
    expect(ids).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    expect(waits).toBeGreaterThan(200);
  });
});

describe('what a step is writing', () => {
  it('is told to whoever joins, behind the steps, and comes before its own', async () => {
    verifies('run.text-so-far');
    const model = gate();
    const { engine, store } = await served({
      long: async (ctx) => {
        await write(ctx, ['Told ', 'before.']);
        return write(ctx, ['So ', 'far, '], model.opened);
      },
    });
    const live: Progress[] = [];
    const answer = engine.call('long', {}, { observe: (event) => void live.push(event) });
    await until(() => (live.some((event) => named(event).startsWith('So')) ? true : undefined));
    const [{ runId } = { runId: '' }] = await store.list({ limit: 1 });
    const late: string[] = [];
    for await (const event of engine.runner.follow(runId, 'long', 0, desk, never)) {
      late.push(named(event));
      if (event.event === 'delta') model.open();
    }
    await answer;
    expect(late).toEqual(['run', 'model', '^So far, ', 'model', 'result']);
    expect(live.map(named).join('|')).toMatch(/^run\|Told \|?before\.\|model\|So \|?far, \|model$/);
  });

  it('is told of each run that writes', async () => {
    verifies('run.text-so-far');
    const model = gate();
    const { engine, store } = await served({
      outer: async (ctx) => Promise.all([ctx.must('inner'), ctx.must('other')]),
      inner: (ctx) => write(ctx, ['in'], model.opened),
      other: (ctx) => write(ctx, ['other'], model.opened),
    });
    const answer = engine.call('outer');
    const root = await until(async () => (await store.list({ limit: 1 }))[0]);
    await until(async () => ((await store.load(root.runId)).runs.length === 3 ? true : undefined));
    const texts: string[] = [];
    for await (const event of engine.runner.follow(root.runId, 'outer', 0, desk, never)) {
      if (event.event === 'delta') texts.push(named(event));
      if (texts.length === 2) model.open();
    }
    await answer;
    expect(texts.toSorted()).toEqual(['^in', '^other']);
  });
});

it('the times of a question are the same for whoever asked and for everybody else', async () => {
  verifies('run.same-form');
  // A process whose clock is off.
  const { engine } = await served({}, { now: () => Date.now() - 60_000 });
  const told: Progress[] = [];
  const waits = await engine.call('clerk', {}, { observe: (event) => void told.push(event) });
  const times = (one: Readonly<Record<string, unknown>> | undefined) => [
    one?.['requested_at_ms'],
    one?.['expires_at_ms'],
  ];
  const body = json<{ run_id: string; pending_approvals: Record<string, unknown>[] }>(waits);
  const { approvals } = json<{ approvals: Record<string, unknown>[] }>(
    await engine.call('get_svc_approvals', {}, { principal: boss }),
  );
  expect(times(body.pending_approvals[0])).toEqual(times(approvals[0]));
  const step = told.map(({ data }) => data as RunStep).find(({ kind }) => kind === 'approval_requested');
  expect(step?.at_ms).toBe(times(approvals[0])[0]);
});

it('nothing is missed and nothing told twice, whenever whoever reads is cut off', async () => {
  verifies('run.read-on');
  const width = 3;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 5, max: 60 }),
      fc.integer({ min: 0, max: 5 }),
      async (cuts, steps, turns) => {
        const { engine, store } = await served({
          busy: async (ctx) => {
            for (let i = 0; i < steps; i++) {
              await Promise.all(Array.from({ length: width }, (_, n) => write(ctx, [`${i}.${n} `])));
              ctx.scope.value('log', () => i);
              for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
            }
            return 'done';
          },
        });
        const answer = engine.call('busy');
        const root = await until(async () => (await store.list({ limit: 1 }))[0]);
        const seen: number[] = [];
        let result: unknown;
        for (let n = 0; result === undefined; n++) {
          let left = n < cuts.length ? (cuts[n] ?? 0) : Number.POSITIVE_INFINITY;
          const cut = new AbortController();
          for await (const told of engine.runner.follow(
            root.runId,
            'busy',
            seen.at(-1) ?? 0,
            desk,
            cut.signal,
          )) {
            if (told.event === 'step') seen.push(seqOf(told));
            if (told.event === 'result') result = told.data;
            if (left-- <= 0) break;
          }
          cut.abort();
        }
        expect(result).toMatchObject({ status: 'completed' });
        expect((await answer).status).toBe(200);
        const all: number[] = [];
        for await (const told of engine.runner.follow(root.runId, 'busy', 0, desk, never))
          if (told.event === 'step') all.push(seqOf(told));
        expect(all).toHaveLength(steps * width);
        expect(seen).toEqual(all);
        await engine.stop();
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);
