import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { callers, thinking } from './agents-application.ts';

type Row = Readonly<Record<string, unknown>>;

/** Two agents of different prices, and a tool that asks first. */
async function desk() {
  const app = await thinking((one) => {
    const tool = { tool: true, scopes: ['write'] } as const;
    one.post('/note', { ...tool, toolName: 'note' }, () => `€${'x'.repeat(20_000)}`);
    one.post('/picture', { ...tool, toolName: 'picture' }, () => ({
      $image: { media_type: 'image/png', data: 'A'.repeat(4_000) },
    }));
    one.post('/pay', { ...tool, toolName: 'pay', approval: 'required' }, () => 'paid');
    one.agent('clerk', { scopes: ['write'], tools: ['note', 'pay', 'picture'] });
    one.agent('cheap', { scopes: ['write'], model: 'fast' });
    one.flow('both', { scopes: ['write'], pipeline: ['cheap', 'clerk'] });
  });
  const list = async <T = Row>(path: string): Promise<readonly T[]> => {
    const { status, value } = await app.send(`/_svc/${path}`);
    expect([path, status]).toEqual([path, 200]);
    return Object.values(value)[0] as readonly T[];
  };
  return { ...app, list };
}

describe('the listing of runs', () => {
  it('says of each how long it took, how many steps, tokens and what it cost', async () => {
    verifies('listing.runs.totals');
    const { ask, list, send } = await desk();
    const { value } = await ask('clerk', '[[call note {}]] [[say Done.]]');
    await ask('cheap', '[[say Hello.]]', 'BEN_KEY');
    const [cheap, clerk] = await list('runs');
    const { usage } = value;
    expect(clerk).toMatchObject({
      ...{ name: 'clerk', kind: 'agent', caller: 'ann', status: 'completed', step_count: 3 },
      ...{
        tokens: Number(usage['input_tokens']) + Number(usage['output_tokens']),
        cost_usd: usage['cost_usd'],
      },
    });
    expect(clerk?.['duration_ms']).toBe(Number(clerk?.['ended_at_ms']) - Number(clerk?.['created_at_ms']));
    expect(cheap).toMatchObject({ name: 'cheap', caller: 'ben', step_count: 1 });
    const nested = await send('/flows/both', { input: '[[say Both.]]' });
    const [both] = await list('runs?limit=1');
    // Of the whole tree, as the detail has it.
    const detail = (await send(`/_svc/runs/${nested.value.run_id}`)).value as unknown as Row & {
      runs: Row[];
    };
    const of = (row: Row | undefined, name: string): number => Number(row?.[name]);
    for (const name of ['step_count', 'tokens', 'cost_usd'])
      expect([name, both?.[name]]).toEqual([name, detail[name]]);
    expect(of(detail, 'tokens')).toBe(detail.runs.reduce((sum, one) => sum + of(one, 'tokens'), 0));
  });

  it('can be asked for a status, a kind, a name, a caller and a time, and for what cost most', async () => {
    verifies('listing.runs.filters', 'listing.runs.dearest');
    const { ask, list, send } = await desk();
    const ids: string[] = [];
    for (const [agent, caller] of [
      ['clerk', 'ANN_KEY'],
      ['cheap', 'ANN_KEY'],
      ['cheap', 'BEN_KEY'],
      ['clerk', 'BEN_KEY'],
    ] as const)
      ids.push((await ask(agent, '[[say Yes.]]', caller)).value.run_id);
    const [a, b, c, d] = ids;
    const found = async (query: string) => (await list(`runs?${query}`)).map((row) => row['run_id']);
    expect(await found('name=clerk')).toEqual([d, a]);
    expect(await found('caller=ben')).toEqual([d, c]);
    expect(await found('caller=ben&name=cheap&kind=agent&status=completed')).toEqual([c]);
    expect(await found('kind=flow')).toEqual([]);
    expect(await found(`name=${encodeURIComponent("' or 1=1 --")}`)).toEqual([]);
    expect(await found(`caller=ann&after=${b}`)).toEqual([a]);
    const at = (await list('runs')).map((row) => Number(row['created_at_ms']));
    expect(await found(`since_ms=${at[1]}&until_ms=${Number(at[0])}`)).toEqual(at[0] === at[1] ? [] : [c]);
    expect(await found(`until_ms=${at[3]}`)).toEqual([]);
    const costs = (await list('runs?sort=-cost')).map((row) => Number(row['cost_usd']));
    expect(costs).toEqual(costs.toSorted((x, y) => y - x));
    expect((await list('runs?sort=-cost&limit=1')).map((row) => row['name'])).toEqual(['clerk']);
    // In pages, each row once.
    const paged: unknown[] = [];
    for (let last = ''; paged.length < 9; last = `&after=${String(paged.at(-1))}`) {
      const page = await found(`sort=-cost&limit=1${last}`);
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(await found('sort=-cost'));
    expect((await send('/_svc/runs?sort=-cost&after=none')).status).toBe(422);
    for (const query of ['state=failed', 'status=ended', 'sort=cost', 'kind=tool', 'since_ms=-1', 'name='])
      expect([query, (await send(`/_svc/runs?${query}`)).status]).toEqual([query, 422]);
  });

  it('keeps its place while new runs begin', async () => {
    verifies('listing.cursors');
    const { ask, list } = await desk();
    const first: string[] = [];
    for (let i = 0; i < 3; i++) first.unshift((await ask('cheap', '[[say Yes.]]')).value.run_id);
    const [newest] = await list('runs?limit=1');
    await ask('cheap', '[[say More.]]');
    const rest = await list(`runs?after=${String(newest?.['run_id'])}`);
    expect([newest, ...rest].map((row) => row?.['run_id'])).toEqual(first);
  });
});

describe('one run', () => {
  it('shows of each step when, how long, tokens and cost; of values as much as is asked for; of pictures the size', async () => {
    verifies('listing.run.steps', 'listing.run.cut');
    const { ask, send } = await desk();
    const input = '[[call note {}]] [[call picture {}]] [[say Done.]]';
    const { value } = await ask('clerk', input);
    const { value: detail, text } = await send(`/_svc/runs/${value.run_id}?cut=100`);
    expect(detail).toMatchObject({ input: { input } });
    const shown = { at_ms: expect.any(Number), duration_ms: expect.any(Number) };
    expect(detail.steps).toMatchObject([
      { ...shown, kind: 'model', input_tokens: expect.any(Number), cost_usd: expect.any(Number) },
      { ...shown, kind: 'tool_call', tool: 'note', result: { $cut: `"€${'x'.repeat(98)}`, chars: 20_003 } },
      { ...shown, kind: 'model' },
      { ...shown, kind: 'tool_call', tool: 'picture', result: { $image: { bytes: 3_000 } } },
      { ...shown, kind: 'model' },
    ]);
    expect(text).not.toContain('AAAA');
    const whole = (await send(`/_svc/runs/${value.run_id}?cut=65536`)).value.steps[1];
    expect(whole?.['result']).toHaveLength(20_001);
    const byDefault = (await send(`/_svc/runs/${value.run_id}`)).value.steps[1];
    expect(byDefault?.['result']).toMatchObject({
      $cut: expect.stringMatching(/^"€x{16382}$/),
      chars: 20_003,
    });
    for (const query of ['cut=63', 'cut=65537', 'cuts=100'])
      expect([query, (await send(`/_svc/runs/${value.run_id}?${query}`)).status]).toEqual([query, 422]);
  });

  it('gives its steps in pages', async () => {
    verifies('listing.run.pages');
    const { ask, send } = await desk();
    const { value } = await ask('clerk', '[[call picture {}]] [[call picture {}]] [[say Done.]]');
    const seen: unknown[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 9; page++) {
      const { value: got } = await send(`/_svc/runs/${value.run_id}/steps${query}`);
      const { steps, next } = got as unknown as { steps: Row[]; next?: number };
      seen.push(...steps);
      if (next === undefined) break;
      query = `?limit=2&after=${next}`;
    }
    expect(seen).toEqual((await send(`/_svc/runs/${value.run_id}`)).value.steps);
    expect((await send('/_svc/runs/none/steps')).status).toBe(404);
    expect((await send(`/_svc/runs/${value.run_id}/steps?limit=501`)).status).toBe(422);
  });
});

describe('the listing of approvals', () => {
  it('shows what was decided, by whom, when and why, the newest first', async () => {
    verifies('listing.approvals.decided');
    const { ask, list, send } = await desk();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { value } = await ask('clerk', '[[call pay {}]] [[say Done.]]');
      ids.push(String(value.pending_approvals?.[0]?.approval_id));
    }
    const [first, second, third, last] = ids;
    const begunMs = Date.now();
    await send(`/_svc/approvals/${first}`, { approve: true, note: '<b>fine</b>' });
    await send(`/_svc/approvals/${second}`, { approve: false, note: '' }, 'BEN_KEY');
    await send(`/_svc/approvals/${third}`, { approve: true, note: '' });
    const decided = await list('approvals?status=decided');
    expect(decided).toMatchObject([
      { approval_id: third, status: 'approved', decided_by: 'ann' },
      { approval_id: second, status: 'denied', decided_by: 'ben' },
      { approval_id: first, status: 'approved', decided_by: 'ann', note: '<b>fine</b>' },
    ]);
    for (const row of decided) expect(Number(row['decided_at_ms'])).toBeGreaterThanOrEqual(begunMs - 1);
    expect(await list(`approvals?status=decided&after=${third}&limit=1`)).toMatchObject([
      { approval_id: second },
    ]);
    expect(await list('approvals')).toMatchObject([
      { approval_id: last, status: 'pending', decided_by: null, decided_at_ms: null },
    ]);
  });
});

describe('the audit log', () => {
  it('can be asked for a caller, a route and a time', async () => {
    verifies('listing.audit.filters');
    const { send, list } = await desk();
    await send('/note', {});
    await send('/note', {}, 'BEN_KEY');
    await send('/picture', {}, 'BEN_KEY');
    await expect.poll(async () => (await list('audit')).length).toBe(3);
    const found = async (query: string) =>
      (await list(`audit?${query}`)).map((row) => [row['route'], row['principal']]);
    expect(await found('principal=ann')).toEqual([['note', 'ann']]);
    expect(await found('route=note')).toEqual([
      ['note', 'ben'],
      ['note', 'ann'],
    ]);
    expect(await found('principal=ben&route=picture&kind=tool_called')).toEqual([['picture', 'ben']]);
    const [newest] = await list('audit?limit=1');
    expect(
      await found(`until_ms=${Number(newest?.['at_ms']) + 1}&since_ms=${String(newest?.['at_ms'])}`),
    ).toContainEqual(['picture', 'ben']);
    expect(await found('until_ms=5')).toEqual([]);
    for (const query of ['actor=ann', 'principal=', 'since_ms=soon'])
      expect([query, (await send(`/_svc/audit?${query}`)).status]).toEqual([query, 422]);
  });
});

it('listings need the scope of operators', async () => {
  const { url, send } = await desk();
  for (const path of ['runs', 'approvals?status=decided', 'audit', 'runs/x/steps']) {
    expect([path, (await send(`/_svc/${path}`, undefined, 'CAT_KEY')).status]).toEqual([path, 403]);
    expect([path, (await fetch(`${url}/_svc/${path}`)).status]).toEqual([path, 401]);
  }
  expect(callers.CAT_KEY).not.toBe('');
});

describe('the overview', () => {
  it('counts requests, runs, what waits and what was spent', async () => {
    verifies('listing.overview', 'listing.overview.requests');
    const { ask, send } = await desk();
    const of = async (query = ''): Promise<Row> =>
      (await send(`/_svc/overview${query}`)).value as unknown as Row;
    expect(await of()).toMatchObject({ requests: { count: 0, p95_ms: null }, runs: { completed: 0 } });
    const { value } = await ask('clerk', '[[say Done.]]');
    await ask('clerk', '[[call pay {}]] [[say Done.]]');
    await send('/note', {}, 'CAT_KEY');
    await send('/nowhere');
    const overview = await of('?window_ms=60000');
    const tokens = (await send('/_svc/usage')).value as unknown as Row;
    expect(overview).toMatchObject({
      ...{ window_ms: 60_000, at_ms: expect.any(Number) },
      requests: { count: 4, client_errors: 2, server_errors: 0, p95_ms: expect.any(Number) },
      runs: { running: 0, waiting: 1, completed: 1, failed: 0 },
      waiting: { pending_approvals: 1, provider_waits: 0 },
      spent_today: { calls: 2, tokens: tokens['total_tokens'], cost_usd: tokens['estimated_cost_usd'] },
    });
    expect(value.status).toBe('completed');
    for (const query of ['window_ms=59999', 'window_ms=86400001', 'window=60000'])
      expect([query, (await send(`/_svc/overview?${query}`)).status]).toEqual([query, 422]);
    expect((await send('/_svc/overview', undefined, 'CAT_KEY')).status).toBe(403);
  });
});
