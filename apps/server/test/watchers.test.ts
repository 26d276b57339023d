import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Insight } from '@waymark/contract/hub';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import type { WatchOptions } from '@waymark/watchers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { secret } from './serve.ts';
import { picture, yard } from './yard.ts';

/** An agent `guard`, and a watcher of the camera that runs it. */
function guarded(options: Partial<WatchOptions> = {}) {
  return (app: Application): void => {
    app.agent('guard', { scopes: ['guard'] }).watch('yard', {
      ...{ device: 'door', agent: 'guard', scopes: ['guard'], every: 0.1, maxRunsPerHour: 36_000 },
      ...options,
    });
  };
}

/** A database file that is gone after the test. */
function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-watchers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite://${join(folder, 'yard.db')}`;
}

describe('a watcher in an application', () => {
  it('runs its agent over the newest picture and reading, and publishes what it says', async () => {
    verifies('declare.watch', 'face.methods.watch', 'watcher.option.device', 'watcher.option.agent');
    verifies('watcher.option.input', 'state.watcher.changed', 'state.watcher.publishes');
    verifies('purpose.hub.watchers', 'event.emit.insight');
    verifies('insight.type', 'insight.watcher', 'insight.device', 'insight.agent', 'insight.seq');
    verifies('insight.status', 'insight.output', 'insight.error', 'insight.run-id', 'insight.tokens');
    verifies('insight.at-ms');
    const { send, measure, until, simulator, get } = await yard(
      guarded({ input: 'Who is there? [[images]] [[repeat]]' }),
    );
    await measure({ lux: 3 });
    await until(1);
    await send('a');
    const insights = await until(2);
    const beganMs = Date.now() - 60_000;
    expect(insights).toEqual([
      {
        type: 'insight',
        ...{ watcher: 'yard', device: 'door', agent: 'guard', seq: null, status: 'completed' },
        ...{ output: 'no images', error: null, run_id: expect.stringMatching(/^\w{26}$/) as string },
        ...{ tokens: expect.any(Number) as number, cost_micros: expect.any(Number) as number },
        at_ms: expect.any(Number) as number,
        has_frame: false,
      },
      expect.objectContaining({
        seq: 1,
        status: 'completed',
        output: expect.stringMatching(/^1 image: image\/png 34 bytes/) as string,
      }),
    ]);
    const [first] = insights;
    expect(first?.tokens).toBeGreaterThan(10);
    expect(first?.at_ms).toBeGreaterThan(beganMs);
    expect(JSON.stringify(simulator.requests[1]?.body)).toContain(
      String.raw`Who is there? [[images]] [[repeat]]\n\n{\"lux\":3}`,
    );
    // It is a run like any other.
    const { runs } = await get<{ readonly runs: readonly object[] }>('/_svc/runs');
    expect(runs).toHaveLength(2);
    expect(runs[0]).toMatchObject({ caller: 'watcher:yard', via: 'watcher', status: 'completed' });
  });

  it('skips its ticks while bytes and reading are those of the last run', async () => {
    verifies('state.watcher.unchanged', 'state.watcher.same-bytes', 'watcher.option.every', 'watcher.change');
    const { send, measure, until, ticks, insights, row } = await yard(
      guarded({ input: '[[say Nobody.]] [[repeat]]' }),
    );
    await send('a');
    await until(1);
    await send('a');
    await ticks();
    expect((await insights()).length).toBe(1);
    await measure({ lux: 3, door: 'open' });
    await until(2);
    await measure({ door: 'open', lux: 3 });
    await ticks();
    expect((await insights()).length).toBe(2);
    await send('b');
    const [, , third] = await until(3);
    expect(third?.seq).toBe(3);
    const { last_tick_at_ms: tick, next_tick_at_ms: next } = await row();
    expect(Number(next) - Number(tick)).toBeLessThanOrEqual(300);
  });

  it('looks at once when the application is there, and then only every so often', async () => {
    verifies('watcher.first-tick');
    const { row } = await yard(guarded({ every: 3_600 }));
    await expect.poll(async () => (await row()).last_tick_at_ms).not.toBeNull();
    const { last_tick_at_ms: tick, next_tick_at_ms: next } = await row();
    expect(Number(next) - Number(tick)).toBeGreaterThan(3_500_000);
  });

  it('gives insights on a sensor no number of a frame', async () => {
    verifies('watcher.sensor-seq');
    const { measure, until } = await yard(guarded({ device: 'thermo', input: '[[say Warm.]]' }));
    await measure({ celsius: 30 }, 'thermo');
    expect(await until(1, 'thermo')).toMatchObject([{ seq: null, output: 'Warm.' }]);
  });

  it('asks a camera that is pulled, and skips the tick where that fails', async () => {
    verifies('watcher.pulled');
    let asked = 0;
    let isBroken = false;
    const camera = createServer((_request, response) => {
      asked += 1;
      if (isBroken) return response.writeHead(500).end();
      // The same picture twice: that is one change.
      return response.writeHead(200, { 'content-type': 'image/png' }).end(picture(`${asked >> 1}`));
    });
    await new Promise<void>((resolve) => camera.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void camera.close());
    const { port } = camera.address() as AddressInfo;
    const { until, row, insights, ticks } = await yard((app) => {
      app.camera('roof', { source: `http://127.0.0.1:${port}/still`, maxFps: 100 });
      guarded({ device: 'roof', input: '[[images]] [[repeat]]' })(app);
    });
    const [first] = await until(1, 'roof');
    expect(first).toMatchObject({ seq: 1, output: expect.stringContaining('1 image') as string });
    await expect.poll(async () => (await insights('roof')).length).toBeGreaterThan(2);
    isBroken = true;
    await expect.poll(async () => (await row()).status).toBe('failing');
    const { length } = await insights('roof');
    await ticks();
    expect((await insights('roof')).length).toBe(length);
  });

  it('has one run at a time', async () => {
    verifies('watcher.one-at-a-time');
    let isLooking = false;
    let letGo: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { send, ticks, get, until } = await yard((app) => {
      app.get('/look', { tool: true, toolName: 'look', scopes: ['guard'] }, async () => {
        isLooking = true;
        await gate;
        return 'seen';
      });
      app.agent('guard', { scopes: ['guard'], tools: ['look'] }).watch('yard', {
        ...{ device: 'door', agent: 'guard', scopes: ['guard'], every: 0.1, maxRunsPerHour: 36_000 },
        input: '[[call look {}]] [[say Seen.]]',
      });
    });
    await send('a');
    await expect.poll(() => isLooking).toBe(true);
    await send('b');
    await ticks();
    const { runs } = await get<{ readonly runs: readonly object[] }>('/_svc/runs');
    expect(runs).toHaveLength(1);
    letGo();
    await until(2);
  });

  it('tells a run that failed, and does not repeat it until something changes', async () => {
    verifies('watcher.failed-runs', 'insight.error');
    const { send, until, ticks, row } = await yard(
      guarded({ input: '[[error 400 message="No such thing."]]' }),
    );
    await send('a');
    const [insight] = await until(1);
    expect(insight).toMatchObject({ status: 'failed', output: '', seq: 1 });
    expect(insight?.error).toMatch(/\S/);
    await ticks();
    expect((await row()).status).toBe('failing');
    await until(1);
    await send('b');
    await until(2);
  });

  it('tells subscribers, the insights route and the audit log', async () => {
    verifies('event.insight.stream', 'event.stream.insight', 'event.insight.route', 'event.insight.audit');
    verifies('purpose.hub.insights', 'purpose.hub.publish', 'audit.kind.insight');
    verifies('control.audit.agents-and-insights');
    const { url, send, until, events } = await yard(guarded({ input: '[[say Nobody.]]' }));
    const told: unknown[] = [];
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/devices/door/stream?frames=meta&access_token=${secret}`,
    );
    onTestFinished(() => socket.close());
    socket.onmessage = ({ data }) => void told.push(JSON.parse(String(data)));
    await expect.poll(() => told).toMatchObject([{ type: 'hello', insights: [] }]);
    await send('a');
    const [insight] = await until(1);
    // Whether its picture is kept is asked of the route.
    const { has_frame: kept, ...published } = insight as Insight & { readonly has_frame: boolean };
    expect(kept).toBe(true);
    await expect
      .poll(() => told.filter((one) => (one as { type: string }).type === 'insight'))
      .toEqual([published]);
    await expect
      .poll(() => events('insight'))
      .toMatchObject([{ watcher: 'yard', run_id: insight?.run_id, output: 'Nobody.' }]);
    expect(await events('run_finished')).toMatchObject([{ run_id: insight?.run_id }]);
  });

  it('keeps the picture that was judged, for its readers', async () => {
    const { url, send, until } = await yard(guarded({ input: '[[say Nobody.]]' }));
    await send('a');
    const [insight] = await until(1);
    const path = `${url}/devices/door/insights/${insight?.run_id}/frame`;
    const answer = await fetch(path, { headers: { 'x-api-key': secret } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await answer.arrayBuffer()).byteLength).toBe(34);
    expect((await fetch(path)).status).toBe(401);
  });

  it('is listed, counted and named where its device is', async () => {
    verifies('watcher.listing');
    const { get, row } = await yard(guarded({ every: 60, maxRunsPerHour: 60, maxCostPerDay: 2 }));
    await expect.poll(async () => (await row()).last_tick_at_ms).not.toBeNull();
    expect(await row()).toEqual({
      ...{ name: 'yard', device: 'door', agent: 'guard', every: 60, scopes: ['guard'] },
      ...{ max_runs_per_hour: 60, runs_last_hour: 0, max_cost_per_day: 2, cost_usd_last_day: 0 },
      ...{ status: 'offline', runs_here: true, parked: 0, webhook: null },
      ...{ last_change_at_ms: null, last_run_id: null, last_run_at_ms: null },
      last_tick_at_ms: expect.any(Number) as number,
      next_tick_at_ms: expect.any(Number) as number,
    });
    expect(await get('/_svc/health')).toMatchObject({ watchers: 1 });
    expect(await get('/_svc/devices')).toMatchObject({
      devices: [
        { name: 'door', watchers: ['yard'] },
        { name: 'thermo', watchers: [] },
      ],
    });
    const report = JSON.stringify(await get('/_svc/security'));
    expect(report).toContain(
      'watcher \\"yard\\" runs agent \\"guard\\" on door with guard, 60 times an hour at most',
    );
    expect(report).toContain('"watcher_runs"');
  });
});

describe('the authority of a watcher', () => {
  const tools = (app: Application): void => {
    for (const name of ['look', 'open'])
      app.post(
        `/${name}`,
        { tool: true, toolName: name, scopes: [name], summary: `Does ${name}.` },
        () => 'done',
      );
  };

  it('is what watcher and agent share', async () => {
    verifies('auth.watcher.intersection', 'watcher.option.scopes', 'watcher.option.no-caller');
    const input = '[[calls look {}, open {}]] [[echo results]]';
    const { send, until } = await yard((app) => {
      tools(app);
      app
        .agent('guard', { tools: ['look', 'open'], scopes: ['look', 'open'], exposeScopes: ['guard'] })
        .watch('yard', { device: 'door', agent: 'guard', scopes: ['guard', 'look'], every: 0.1, input });
    });
    await send('a');
    const [insight] = await until(1);
    // The agent may open, its watcher may not; there is nobody else whose scopes could be added.
    expect(insight?.output).toContain('done');
    expect(insight?.output).toContain('missing scope');
    expect(insight?.output.match(/missing scope/g)).toHaveLength(1);
  });

  it('must let it start its agent, or the application does not start', async () => {
    verifies('watcher.expose-scopes');
    await expect(yard(guarded({ scopes: ['look'] }))).rejects.toThrow(
      'may not start its agent "guard", which needs the scope "guard"',
    );
  });

  it.each([
    ['as it was', ['guard', 'open'], 'completed'],
    ['with less of it', ['guard'], 'refused'],
    ['gone', undefined, 'gone'],
  ])('is asked again when a human decides after a restart: %s', async (_, today, expected) => {
    verifies('watcher.today', 'watcher.parked');
    const database = file();
    let opened = 0;
    const declare = (scopes: readonly string[] | undefined) => (app: Application) => {
      app.post(
        '/open',
        { tool: true, toolName: 'open', approval: 'required', scopes: ['open'] },
        () => ++opened,
      );
      app.agent('guard', { tools: ['open'], scopes: ['open'], exposeScopes: ['guard'] });
      if (!scopes) return;
      const input = '[[call open {}]] [[echo results]]';
      app.watch('yard', {
        device: 'door',
        agent: 'guard',
        scopes,
        every: 0.1,
        input,
        maxRunsPerHour: 36_000,
      });
    };
    const first = await yard(declare(['guard', 'open']), { database });
    await first.send('a');
    const [waiting] = await first.until(1);
    expect(waiting).toMatchObject({ status: 'awaiting_approval', seq: 1, output: '' });
    // Its insight is there a moment before.
    await expect.poll(async () => (await first.row()).parked).toBe(1);
    await first.close();

    const second = await yard(declare(today), { database, simulator: first.simulator });
    const { approvals } = await second.get<{
      readonly approvals: readonly { readonly approval_id: string }[];
    }>('/_svc/approvals');
    await second.post(`/_svc/approvals/${approvals[0]?.approval_id}`, { approve: true, note: '' });
    if (expected === 'gone') {
      const { runs } = await second.get<{ readonly runs: readonly object[] }>('/_svc/runs');
      expect(runs).toMatchObject([{ status: 'failed', error: { code: 'caller_gone' } }]);
      expect(opened).toBe(0);
      return;
    }
    // It takes the place of the first in the listing.
    await expect.poll(async () => (await second.insights())[0]?.status).toBe('completed');
    const [final, ...others] = await second.insights();
    expect([final?.run_id, final?.seq, others]).toEqual([waiting?.run_id, 1, []]);
    expect(opened).toBe(expected === 'completed' ? 1 : 0);
    if (expected === 'refused') expect(final?.output).toContain('scope');
    // The insight is stored first; the row tells of it a moment later.
    await expect.poll(async () => (await second.row()).parked).toBe(0);
  });
});

describe('the ceiling of a watcher', () => {
  it('holds within the hour, over a restart, and is told once', async () => {
    verifies('watcher.option.max-runs-per-hour', 'limit.watcher-runs', 'watcher.max-runs.sliding');
    verifies('watcher.max-runs.audited', 'watcher.max-runs.listed', 'audit.kind.watcher-limited');
    const database = file();
    const declare = guarded({ maxRunsPerHour: 2, input: '[[say Nobody.]]' });
    const first = await yard(declare, { database });
    for (let i = 1; i <= 2; i++) {
      await first.send(`${i}`);
      await first.until(i);
    }
    await first.send('3');
    await expect.poll(async () => (await first.row()).status).toBe('limited');
    expect(await first.row()).toMatchObject({ runs_last_hour: 2 });
    await expect
      .poll(() => first.events('watcher_limited'))
      .toMatchObject([
        { watcher: 'yard', device: 'door', limit: 'runs', runs_last_hour: 2, max_runs_per_hour: 2 },
      ]);
    await first.close();
    const second = await yard(declare, { database, simulator: first.simulator });
    await second.send('4');
    await expect.poll(async () => (await second.row()).status).toBe('limited');
    await second.ticks();
    expect((await second.insights()).length).toBe(2);
    expect(await second.events('watcher_limited')).toHaveLength(1);
  });

  it('is also of money', async () => {
    verifies('watcher.max-cost');
    const { send, until, row, events, insights } = await yard(
      guarded({ maxCostPerDay: 0.000_001, input: '[[say Nobody.]]' }),
    );
    await send('a');
    await until(1);
    expect(await row()).toMatchObject({ max_cost_per_day: 0.000_001, status: 'ok' });
    await send('b');
    await expect.poll(async () => (await row()).status).toBe('limited');
    await expect
      .poll(() => events('watcher_limited'))
      .toMatchObject([{ limit: 'cost', max_cost_per_day: 0.000_001 }]);
    expect((await insights()).length).toBe(1);
    expect(Number((await row())['cost_usd_last_day'])).toBeGreaterThan(0.000_001);
  });

  it.each([
    ['its agent', { model: 'simulator/unpriced' }, '[[say Nobody.]]'],
    ['an agent that this calls', { tools: ['helper'] }, '[[call helper {"input":"a"}]] [[say Nobody.]]'],
  ])('lets one run a day begin where the model of %s has no price', async (_, options, input) => {
    verifies('watcher.max-cost');
    const warnings: unknown[] = [];
    const { send, until, row, insights, ticks } = await yard((app) => {
      app
        .agent('helper', { model: 'simulator/unpriced', public: true })
        .agent('guard', { scopes: ['guard'], ...options })
        .watch('yard', {
          ...{ device: 'door', agent: 'guard', scopes: ['guard'], every: 0.1, maxRunsPerHour: 36_000 },
          ...{ maxCostPerDay: 100, input },
        });
      warnings.push(...app.check());
    });
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'watch-unpriced', declaration: 'watch "yard"' }),
    );
    await send('a');
    expect(await until(1)).toMatchObject([{ status: 'completed' }]);
    await send('b');
    await expect.poll(async () => (await row()).status).toBe('limited');
    await ticks();
    expect((await insights()).length).toBe(1);
    expect(await row()).toMatchObject({ cost_usd_last_day: null, runs_last_hour: 1 });
  });

  it('is warned about where it is used up', async () => {
    verifies('watcher.max-runs.boot-warning');
    const warnings: unknown[] = [];
    await yard((app) => {
      guarded({ every: 10, maxRunsPerHour: 60 })(app);
      warnings.push(...app.check());
    });
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'watch-ceiling', severity: 'warning', declaration: 'watch "yard"' }),
    );
  });

  it('bounds what an hour can cost: so many runs, each within the tokens of its agent', async () => {
    verifies('limit.watcher-spend');
    const tokenBudget = 3_000;
    const { measure, until, ticks, insights, row } = await yard((app) => {
      app.get('/nothing', { tool: true, toolName: 'nothing', summary: 'Does nothing.' }, () => 'nothing');
      const tools = ['nothing'];
      app
        .agent('guard', { tools, scopes: ['guard'], tokenBudget, maxTokens: 500, maxSteps: 1_000 })
        .watch('yard', {
          ...{ device: 'thermo', agent: 'guard', scopes: ['guard'], every: 0.1, maxRunsPerHour: 2 },
          input: '[[call nothing {}]] [[repeat]]',
        });
    });
    for (let i = 1; i <= 2; i++) {
      await measure({ celsius: i }, 'thermo');
      await until(i, 'thermo');
    }
    await measure({ celsius: 3 }, 'thermo');
    await expect.poll(async () => (await row()).status).toBe('limited');
    await ticks();
    const told = await insights('thermo');
    expect(told.map(({ status }) => status)).toEqual(['budget_exhausted', 'budget_exhausted']);
    const tokens = told.reduce((sum, one) => sum + one.tokens, 0);
    expect(tokens).toBeLessThanOrEqual(2 * tokenBudget);
    expect(tokens).toBeGreaterThan(tokenBudget);
  });
});

describe('the webhook of a watcher', () => {
  it('is posted each insight, with its bearer token, signed, and with a link to the picture', async () => {
    verifies('watcher.option.webhook', 'watcher.option.webhook-bearer', 'event.insight.webhook');
    verifies('event.insight.webhook-bearer');
    const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
    const receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => {
        body += String(piece);
      });
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const { port } = receiver.address() as AddressInfo;
    const { url, send, until, get } = await yard(
      guarded({
        input: '[[say Nobody.]]',
        webhook: `http://127.0.0.1:${port}/secret-path`,
        ...{ webhookBearerEnv: 'HOOK_TOKEN', webhookSecretEnv: 'HOOK_SECRET' },
      }),
      {
        environment: {
          HOOK_TOKEN: 'a-token',
          HOOK_SECRET: `whsec_${btoa('0123456789abcdef0123456789abcdef')}`,
        },
      },
    );
    await send('a');
    const [insight] = await until(1);
    await expect.poll(() => received.length).toBe(1);
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    const { frame_url: link, ...published } = JSON.parse(body) as { readonly frame_url: string };
    expect(insight).toMatchObject(published);
    expect(headers).toMatchObject({
      authorization: 'Bearer a-token',
      'content-type': 'application/json',
      'webhook-id': `${insight?.run_id}:completed`,
      'webhook-signature': expect.stringMatching(/^v1,/) as string,
    });
    // Whoever was sent the link sees the picture without a key; without the token nobody does.
    const answer = await fetch(new URL(link, url));
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 34]);
    expect((await fetch(new URL(link.replace(/token=.*/, 'token=x'), url))).status).toBe(404);
    // Listings show where it goes, not how.
    const shown = JSON.stringify([
      await get('/_svc/watchers'),
      await get('/_svc/security'),
      await get('/_svc/audit'),
    ]);
    expect(shown).toContain(`127.0.0.1:${port}`);
    for (const secret of ['secret-path', 'a-token', 'token=']) expect(shown).not.toContain(secret);
  });

  it.each([
    ['ftp://example.com', 'webhook is no http or https URL'],
    ['http://169.254.169.254/latest', 'webhook is an address of cloud metadata'],
    ['https://me:secret@example.com', 'webhook has credentials in it'],
  ])('is checked at boot: %s', async (webhook, rule) => {
    const problem: unknown = await yard(guarded({ webhook })).catch((error: unknown) => error);
    expect(String(problem)).toContain(rule);
    expect(String(problem)).not.toContain('secret@');
  });
});
