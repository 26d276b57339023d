/** A whole application whose models answer nothing for a while, as its callers see it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { expect, it, onTestFinished } from 'vitest';
import { type ThinkingApplication, type ThinkingOptions, thinking } from './agents-application.ts';

/** What every answer of a run that waits has. */
const waiting = {
  status: 'waiting_provider',
  waits: [
    {
      ...{ kind: 'provider', provider: 'simulator', reason: 'unavailable', attempts: 1 },
      retry_at_ms: expect.any(Number) as unknown,
      give_up_at_ms: expect.any(Number) as unknown,
    },
  ],
};

/** An application on a file, whose models are there or gone. */
function desk() {
  const folder = mkdtempSync(join(tmpdir(), 'provider-served-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const effects: string[] = [];
  const models = { gone: true };
  const declare = (app: Application): void => {
    app.post('/note', { tool: true, toolName: 'note', scopes: ['write'], summary: 'Notes.' }, () => {
      effects.push('note');
      return 'noted';
    });
    app.agent('clerk', { tools: ['note'], scopes: ['write'], description: 'Notes.' });
    app.behaviour('sums', { scopes: ['write'] }, async (ctx) => ctx.ask('[[say Summed.]]'));
    app.flow('chain', { scopes: ['write'], pipeline: [{ tool: 'clerk', input: { input: '$input.text' } }] });
  };
  const start = (options: ThinkingOptions = {}): Promise<ThinkingApplication> =>
    thinking(declare, {
      database: `sqlite://${join(folder, 'desk.db')}`,
      // In time for the quick retries of a call, too.
      script: () => (models.gone ? '[[error 503 retry-after=0]]' : undefined),
      ...options,
    });
  return { effects, models, start };
}

const note = '[[call note {}]] [[say Done.]]';

it('a provider that is out of reach ends no run, whoever asked and however, across a restart', async () => {
  verifies('run.provider-waits', 'run.provider-waits.answers', 'run.provider-waits.listing', 'run.survives');
  const { effects, models, start } = desk();
  const first = await start();
  const headers = { 'x-api-key': 'ann-secret-of-more-than-16-bytes', 'content-type': 'application/json' };
  const started = await Promise.all(
    [
      ['/agents/clerk', { input: note }],
      ['/behaviours/sums', {}],
      ['/flows/chain', { text: note }],
    ].map(async ([path, body]) => {
      const response = await fetch(`${first.url}${String(path)}`, {
        ...{ method: 'POST', headers, body: JSON.stringify(body) },
      });
      expect(response.status).toBe(202);
      const location = response.headers.get('location') ?? '';
      const value = (await response.json()) as { readonly run_id: string };
      expect(value).toMatchObject(waiting);
      expect(value).not.toHaveProperty('pending_approvals');
      expect(location).toBe(`${String(path)}/runs/${value.run_id}`);
      return { location, runId: value.run_id };
    }),
  );
  // The stream of the same route ends with it, and MCP answers it.
  const streamed = await first.send('/agents/clerk', { input: note }, 'ANN_KEY', {
    accept: 'text/event-stream',
  });
  const [, result = ''] =
    /event: result\ndata: (.*)\n/.exec(streamed.text.replaceAll(/^id: .*\n/gm, '')) ?? [];
  expect(JSON.parse(result)).toMatchObject({ status: 202, body: waiting });
  const called = await first.send('/_svc/mcp', {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sums', arguments: {} } },
  });
  const answer = (called.value as never as { result: { isError: boolean; content: [{ text: string }] } })
    .result;
  expect(answer.isError).toBe(false);
  expect(JSON.parse(answer.content[0].text)).toMatchObject(waiting);
  const { location } = started[0] ?? { location: '' };
  const later = await first.send(location);
  expect(later.status).toBe(202);

  const { waits } = (await first.send('/_svc/waits')).value as never as { waits: { root_run_id: string }[] };
  expect(waits.map((wait) => wait.root_run_id)).toEqual(
    expect.arrayContaining(started.map(({ runId }) => runId)),
  );
  expect(waits).toHaveLength(5);
  const page = (await first.send('/_svc/waits?limit=2')).value as never as { waits: { wait_id: string }[] };
  const rest = await first.send(`/_svc/waits?after=${page.waits[1]?.wait_id}`);
  expect((rest.value as never as { waits: unknown[] }).waits).toHaveLength(3);
  expect((await first.send('/_svc/waits?status=x')).status).toBe(422);
  expect((await first.send('/_svc/waits?after=x')).status).toBe(422);
  expect((await first.send('/_svc/waits', undefined, 'CAT_KEY')).status).toBe(403);
  expect((await first.send('/_svc/health')).value).toMatchObject({ provider_waits: 5 });
  await first.close();

  const second = await start();
  models.gone = false;
  for (const one of started)
    await expect.poll(async () => (await second.send(one.location)).status).toBe(200);
  await expect
    .poll(async () => (await second.send('/_svc/health')).value)
    .toMatchObject({ provider_waits: 0 });
  // Two agents and a flow; who waits no more may have something to do yet.
  await expect.poll(() => effects).toEqual(['note', 'note', 'note']);
});

it('an application may say that nobody waits', async () => {
  verifies('run.provider-waits.give-up');
  const { start } = desk();
  const app = await start({ runs: { giveUpAfter: 0 } });
  const answered = await app.ask('clerk', note);
  expect([answered.status, answered.value]).toEqual([
    502,
    expect.objectContaining({
      code: 'unavailable',
      run: expect.objectContaining({ status: 'failed' }) as unknown,
    }),
  ]);
});

it('a turn of a session that waits for its provider is in the way of the next, which says so, or begins anew', async () => {
  verifies('run.provider-waits.answers');
  const { start, models } = desk();
  const app = await start();
  const turn = { input: note, session_id: 's1' };
  const { value: first } = await app.ask('clerk', turn);
  expect(first.status).toBe('waiting_provider');
  const refused = await app.ask('clerk', turn);
  expect(refused).toMatchObject({
    status: 409,
    value: {
      detail: 'the session waits for the provider "simulator"',
      ...{ code: 'session_waits', run: waiting },
    },
  });
  models.gone = false;
  const anew = await app.ask('clerk', { ...turn, reset: true });
  expect(anew.value.status).toBe('completed');
});
