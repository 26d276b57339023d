/** What a watcher reads of its runs: the envelope, however they stand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Values } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import type { RunRecord } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { openDatabase, sqlRunStore } from '@waymark/data';
import { expect, it, onTestFinished } from 'vitest';
import { thinking } from './agents-application.ts';
import { picture } from './hub-pictures.ts';
import { insidePlugin } from './inside.ts';

const yard: Principal = {
  id: 'watcher:yard',
  rootId: 'watcher:yard',
  authenticated: true,
  scopes: ['write'],
};
const other: Principal = { ...yard, id: 'watcher:gate', rootId: 'watcher:gate' };
const images = [{ media_type: 'image/png', data: picture(200_000).toString('base64') }];

/** Usage of a run whose model answered, of one whose model did not, and of one that never asked. */
const tokens = expect.any(Number) as number;
const paid = { input_tokens: tokens, tree_tokens: tokens, cost_usd: tokens };
const estimated = { input_tokens: 0, tree_tokens: tokens, cost_usd: 0 };
const free = { input_tokens: 0, tree_tokens: 0, cost_usd: 0 };

async function yardOf() {
  const folder = mkdtempSync(join(tmpdir(), 'runs-watched-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = `sqlite://${join(folder, 'desk.db')}`;
  const inside = insidePlugin();
  const desk = await thinking(
    (app) =>
      app
        .post(
          '/open',
          { tool: true, toolName: 'open', scopes: ['write'], approval: 'required', summary: 'Opens.' },
          () => 'open',
        )
        .agent('guard', { tools: ['open'], scopes: ['write'], description: 'Guards.' })
        .add(inside.plugin),
    {
      database: file,
      script: (request) =>
        JSON.stringify(request).includes('nobody') ? '[[error 503 retry-after=0]]' : undefined,
    },
  );
  const { dispatcher, table, newId, runner } = inside.host();
  const route = table.get('guard');
  if (!route || !runner) throw new Error('there is no guard, or nobody to run it');
  /** @returns the id of the run */
  const tick = async (input: string): Promise<string> => {
    let runId = '';
    await dispatcher.dispatch({
      ...{ route, principal: yard, via: 'watcher', transient: true, memo: 1, requestId: newId() },
      input: { by: 'arguments', values: { input, images } },
      onRun: (id) => {
        runId = id;
      },
    });
    return runId;
  };
  const read = async (runId: string, principal = yard): Promise<readonly [number, Values]> => {
    const { status, body } = await runner.read(runId, 'guard', principal);
    if (body.kind === 'json') return [status, JSON.parse(body.text)];
    // A failed run is a problem with its envelope.
    return [status, body.kind === 'problem' ? { code: body['code'], ...Object(body['run']) } : {}];
  };
  return { desk, file, runner, tick, read };
}

it('a run of a watcher is read in every state, with what it said and what it used', async () => {
  verifies('run.for-caller', 'run.input.interrupted', 'run.input.transient');
  const { desk, file, runner, tick, read } = await yardOf();

  const done = await tick('[[say All quiet.]]');
  expect(await read(done)).toMatchObject([200, { status: 'completed', output: 'All quiet.', usage: paid }]);
  expect((await read(done, other))[0]).toBe(404);

  const failed = await tick('[[error 400]]');
  expect(await read(failed)).toMatchObject([502, { status: 'failed', output: '', usage: estimated }]);

  const asks = await tick('[[call open {}]] [[say Opened.]]');
  const [, envelope] = await read(asks);
  expect(envelope).toMatchObject({ status: 'awaiting_approval', output: '', usage: paid });
  await runner.cancel(asks, yard);
  expect(await read(asks)).toMatchObject([200, { status: 'cancelled', output: '', usage: paid }]);

  const gone = await tick('[[call open {}]] [[say Opened.]]');
  const [, { pending_approvals: [pending] = [] }] = (await read(gone)) as [
    number,
    { pending_approvals?: { approval_id: string }[] },
  ];
  const decided = await desk.send(`/_svc/approvals/${pending?.approval_id}`, { approve: true });
  expect(decided.status).toBe(500);
  expect(await read(gone)).toMatchObject([
    500,
    { code: 'caller_gone', status: 'failed', output: '', usage: paid },
  ]);

  for (const runId of [done, asks, gone]) {
    const [, { usage }] = await read(runId);
    expect(
      Math.min(...['cost_usd', 'input_tokens', 'tree_tokens'].map((name) => Object(usage)[name])),
    ).toBeGreaterThan(0);
  }

  const waits = await tick('nobody answers');
  expect(await read(waits)).toMatchObject([
    202,
    { status: 'waiting_provider', output: '', usage: estimated, waits: [{}] },
  ]);

  // What a process leaves behind that ended in the middle of it.
  const database = await openDatabase(file);
  onTestFinished(() => database.close());
  const store = sqlRunStore(database);
  const [like] = (await store.load(done)).runs;
  if (!like?.call) throw new Error('there was no run');
  const left: RunRecord = {
    ...like,
    runId: `${done.slice(0, -1)}!`,
    rootId: `${done.slice(0, -1)}!`,
    status: 'running',
  };
  await store.start(left, 'gone', 0);
  await expect
    .poll(() => read(left.runId), { timeout: 5_000 })
    .toMatchObject([500, { code: 'interrupted', status: 'failed', output: '', usage: free }]);
});
