/** What two instances share that the command line started, each in a folder of its own, over one libsql server. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HeldPort, heldPort } from './held-port.ts';
import { Fleet } from './servers/fleet.ts';
import { type Machine, startMachine } from './servers/machine.ts';
import { type Outside, startOutside } from './servers/outside.ts';
import { findSqld } from './servers/sqld.ts';

const sqld = await findSqld();
const folder = mkdtempSync(join(tmpdir(), 'machines-'));
/** Promised of health, milliseconds. */
const toldMs = 5_000;
/** For as long a run waits for the server, and keeps whoever waits for it. */
const leaseMs = 3_000;
const hourMs = 3_600_000;

let outside: Outside;
/** Between the first instance and its database. */
let line: HeldPort;
let a: Machine;
let b: Machine;
/** How often each message came. */
const messages = new Map<string, number>();
const receiver = createServer((request, response) => {
  const id = String(request.headers['webhook-id']);
  messages.set(id, (messages.get(id) ?? 0) + 1);
  response.end();
});

beforeAll(async () => {
  if (!sqld) return;
  await sqld.start();
  outside = await startOutside();
  line = await heldPort(sqld.port);
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const application = join(import.meta.dirname, 'programs/machine-desk.ts');
  const make = (name: string, database: string): Fleet =>
    new Fleet({
      ...{ sqld, application, outside: outside.url },
      folder: mkdtempSync(join(folder, name)),
      env: { DATABASE: database, LEASE: String(leaseMs / 1000), HOOK: hook },
    });
  const fleets = [make('a', `http://127.0.0.1:${line.port}`), make('b', sqld.url)];
  // Both find no table, and make them.
  const started = await Promise.all(fleets.map(startMachine));
  [a, b] = started as [Machine, Machine];
}, 60_000);
afterAll(async () => {
  line?.release();
  for (const { server } of [a, b].filter(Boolean)) server.program.child.kill('SIGKILL');
  receiver.close();
  await outside?.close();
  await line?.[Symbol.asyncDispose]();
  await sqld?.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

let jobs = 0;
const newJob = (): string => `job-${++jobs}`;
const call = (job: string, tool: string, n = 1): string => `[[call ${tool} ${JSON.stringify({ job, n })}]]`;
const desk = (job: string, ...turns: readonly string[]) => ({
  input: `${job} ${turns.join(' ')} [[say done ${job}]]`,
});
/** Effects of a job, in their order. */
const effects = (job: string): readonly string[] =>
  outside.happened.flatMap((one) => (one.what === 'effect' && one.job === job ? [one.tool] : []));
const asked = async (job: string): Promise<void> => {
  await expect.poll(() => outside.happened.some((one) => one.what === 'asked' && one.job === job)).toBe(true);
};
const statusOf = async ({ ask }: Machine, runId: unknown): Promise<unknown> =>
  (await ask(`GET /_svc/runs/${String(runId)}`)).body['status'];

describe.skipIf(!sqld)('two instances on one libsql server', { timeout: 120_000 }, () => {
  it('read at once what the other has written', async () => {
    verifies('scale.machines.state', 'scale.machines.boot', 'scale.machines.reads');
    for (const [here, there] of [
      [a, b],
      [b, a],
    ] as const) {
      const created = await here.ask('POST /notes', { title: 'from here' });
      expect(created.status).toBe(201);
      const path = `/notes/${String(created.body['id'])}`;
      const read = await there.ask(`GET ${path}`);
      expect(read.body).toEqual(created.body);
      expect((await there.ask(`PATCH ${path}`, { title: 'from there' })).status).toBe(200);
      const stale = { 'if-match': read.headers.get('etag') ?? '' };
      expect((await here.ask(`PATCH ${path}`, { title: 'late' }, stale)).status).toBe(412);
      await here.ask('POST /memories/remember', { key: 'network', value: `the network is ${path}` });
      expect((await there.ask('GET /memories/recall/network')).body).toMatchObject({
        value: `the network is ${path}`,
      });
    }
  });

  it('list, decide, answer and cancel the runs of each other', async () => {
    verifies('scale.machines.runs', 'scale.machines.followed');
    const job = newJob();
    const waits = await a.ask('POST /agents/desk', desk(job, call(job, 'refund'), call(job, 'keyed')));
    expect(waits.status).toBe(202);
    const { approvals } = (await b.ask('GET /_svc/approvals')).body as {
      approvals: readonly { readonly approval_id: string; readonly run_id: string }[];
    };
    expect(approvals).toHaveLength(1);
    const approval = approvals[0]?.approval_id ?? '';
    const decide = (machine: Machine) =>
      machine.ask(`POST /_svc/approvals/${approval}`, { approve: true, note: '' });
    const decided = await Promise.all([decide(b), decide(a)]);
    expect(decided.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(effects(job)).toEqual(['refund', 'keyed']);
    const answers = await Promise.all([a, b].map(({ ask }) => ask(`GET ${waits.headers.get('location')}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);

    const leaver = newJob();
    const ended = a.ask('POST /agents/desk', desk(leaver, '[[latency 20000]] ', call(leaver, 'keyed')));
    await asked(leaver);
    const { runs } = (await b.ask('GET /_svc/runs?status=running')).body as {
      runs: readonly { readonly run_id: string }[];
    };
    const startMs = performance.now();
    expect((await b.ask(`POST /_svc/runs/${runs[0]?.run_id}/cancel`)).status).toBe(200);
    expect((await ended).body).toMatchObject({ status: 'cancelled' });
    // A third of its lease, which is 3 seconds here, and whatever the machine is busy with.
    expect(performance.now() - startMs).toBeLessThan(5_000);
    expect(effects(leaver)).toEqual([]);
  });

  it('tell all steps of a run, and all that happens, wherever it is executed', async () => {
    verifies('scale.machines.followed', 'scale.machines.feed');
    const job = newJob();
    const kinds: string[] = [];
    let followed: unknown;
    const feed = b.events('GET /_svc/events');
    const listening = (async () => {
      for await (const { event, data } of feed) {
        kinds.push(`${event} ${String(data['kind'] ?? '')}`);
        // Of a run before this one the end may be told late.
        if (data['kind'] === 'run_finished' && data['run_id'] === followed) return;
      }
    })();
    await expect.poll(() => kinds.length).toBeGreaterThan(0);
    const here: string[] = [];
    let there: Promise<readonly string[]> | undefined;
    const turns = [call(job, 'keyed'), `[[latency 1500]] & ${call(job, 'once')}`, call(job, 'keyed', 2)];
    const follow = async (runId: unknown): Promise<readonly string[]> => {
      const ids: string[] = [];
      for await (const { event, id } of b.events(`GET /agents/desk/runs/${String(runId)}`)) {
        if (event === 'step') ids.push(id);
        if (event === 'result') return ids;
      }
      return [];
    };
    for await (const { event, id, data } of a.events('POST /agents/desk', desk(job, ...turns))) {
      if (event === 'run') {
        followed = data['run_id'];
        there = follow(followed);
      }
      if (event === 'step') here.push(id);
    }
    expect(here.length).toBeGreaterThan(5);
    expect(await there).toEqual(here);
    await listening;
    expect(kinds.filter((kind) => kind.startsWith('step')).length).toBeGreaterThanOrEqual(here.length - 1);
    const audits = await Promise.all([a, b].map(({ ask }) => ask('GET /_svc/audit?limit=50')));
    expect(audits[0]?.body).toEqual(audits[1]?.body);
  });

  it('start one run for a key that comes to both, and add up what all of them cost', async () => {
    verifies('scale.machines.keys', 'scale.machines.spend');
    const job = newJob();
    const send = (machine: Machine, body: object) =>
      machine.ask('POST /agents/desk', body, { 'idempotency-key': job });
    const both = await Promise.all([a, b, a, b].map((one) => send(one, desk(job, call(job, 'once')))));
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(both.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(effects(job)).toEqual(['once']);
    expect((await send(b, desk('another job'))).status).toBe(422);
    const spent = await Promise.all([a, b].map(({ ask }) => ask('GET /_svc/spend')));
    expect(spent[0]?.body).toEqual(spent[1]?.body);
    const calls = [...JSON.stringify(spent[0]?.body).matchAll(/"calls":(\d+)/g)];
    const spentCalls = calls.reduce((sum, [, count]) => sum + Number(count), 0);
    const count = (wanted: string): number => outside.happened.filter(({ what }) => what === wanted).length;
    // What the models say of themselves comes by another way. One call was cut off by a cancel: by estimate, if at all.
    await expect.poll(() => spentCalls - count('answered')).toBeLessThanOrEqual(1);
    expect(spentCalls).toBeGreaterThanOrEqual(count('asked') - 1);
  });

  it('let in whoever signed in at one of them, and refuse whoever signed out', async () => {
    verifies('scale.machines.sign-out');
    const opened = await a.ask('POST /_svc/session');
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const who = async ({ ask }: Machine): Promise<unknown> =>
      (await ask('GET /_svc/session', undefined, { cookie })).body['id'];
    expect([await who(a), await who(b)]).toEqual(['desk', 'desk']);
    const same = { cookie, 'sec-fetch-site': 'same-origin' };
    expect((await b.ask('DELETE /_svc/session', undefined, same)).status).toBe(204);
    expect(await who(b)).not.toBe('desk');
    await expect.poll(() => who(a), { timeout: 5_000 }).not.toBe('desk');
  });

  it('deliver each message once, and go on, with clocks that are hours apart', async () => {
    verifies('scale.machines.clocks', 'scale.machines.webhooks');
    a.server.setClock(2 * hourMs);
    b.server.setClock(-3 * hourMs);
    await Promise.all([a, b].map(({ server }) => server.program.saying(/^clock/m)));
    const all = Array.from({ length: 6 }, newJob);
    const ended = await Promise.all(
      all.map((job, i) => (i % 2 ? a : b).ask('POST /agents/desk', desk(job, call(job, 'once')))),
    );
    expect(ended.map(({ status }) => status)).toEqual(all.map(() => 200));
    const { runs } = (await a.ask('GET /_svc/runs?limit=100')).body as {
      runs: readonly { readonly ended_at_ms: number | null }[];
    };
    await expect.poll(() => messages.size, { timeout: 20_000 }).toBe(runs.length);
    for (const job of all) expect(effects(job)).toEqual(['once']);
    expect([...messages.values()].filter((times) => times > 1)).toEqual([]);
  });

  it('take over from one that is cut off, whose late writes change nothing', async () => {
    verifies('scale.machines.cut-off', 'scale.machines.health');
    const job = newJob();
    const turns = [call(job, 'keyed'), `[[latency 3000]] & ${call(job, 'once')}`, call(job, 'keyed', 2)];
    const answer = a.ask('POST /agents/desk', desk(job, ...turns), { 'idempotency-key': job });
    await expect.poll(() => effects(job)).toEqual(['keyed']);
    line.hold();
    const startMs = performance.now();
    await expect.poll(() => a.troubles(), { timeout: 20_000 }).toContain('database-unreachable');
    expect(performance.now() - startMs).toBeLessThan(toldMs);
    const { runs } = (await b.ask('GET /_svc/runs?limit=1')).body as {
      runs: readonly { readonly run_id: string }[];
    };
    const runId = runs[0]?.run_id;
    await expect.poll(() => statusOf(b, runId), { timeout: 30_000 }).toBe('completed');
    const before = await b.ask(`GET /_svc/runs/${runId}`);
    line.release();
    const backMs = performance.now();
    await expect.poll(() => a.troubles(), { timeout: 20_000 }).toEqual([]);
    expect(performance.now() - backMs).toBeLessThan(toldMs);
    await answer;
    const again = await a.ask('POST /agents/desk', desk(job, ...turns), { 'idempotency-key': job });
    expect(again.body).toMatchObject({ run_id: runId, status: 'completed' });
    expect((await a.ask(`GET /_svc/runs/${runId}`)).body).toEqual(before.body);
    expect(effects(job).filter((tool) => tool === 'once')).toHaveLength(1);
  });

  it('say 503 while the server is away, and lose nothing', async () => {
    verifies('scale.machines.outage', 'scale.machines.health');
    const job = newJob();
    const waits = await a.ask('POST /agents/desk', desk(job, call(job, 'refund')));
    const note = await b.ask('POST /notes', { title: 'before' });
    const slow = newJob();
    const answer = b.ask('POST /agents/desk', desk(slow, `[[latency 1000]] & ${call(slow, 'keyed')}`));
    await asked(slow);
    const startMs = performance.now();
    await sqld?.stop();
    await Promise.all(
      [a, b].map(async (one) => {
        const refused = await one.ask('POST /notes', { title: 'away' });
        expect([refused.status, refused.body['code']]).toEqual([503, 'database_unreachable']);
        await expect.poll(() => one.troubles(), { timeout: 20_000 }).toContain('database-unreachable');
        expect(performance.now() - startMs).toBeLessThan(toldMs);
        expect((await one.ask('GET /_svc/health?ready=true')).status).toBe(503);
      }),
    );
    await sqld?.start();
    const backMs = performance.now();
    // The lease was renewed a third of it ago, or less.
    const isBrief = backMs - startMs < (leaseMs * 2) / 3;
    for (const one of [a, b]) await expect.poll(() => one.troubles(), { timeout: 20_000 }).toEqual([]);
    expect(performance.now() - backMs).toBeLessThan(toldMs);
    // On a busy machine the run may have left its caller, and be taken up again.
    expect(isBrief ? [200] : [200, 503]).toContain((await answer).status);
    await expect.poll(() => effects(slow), { timeout: 20_000 }).toEqual(['keyed']);
    expect((await a.ask(`GET /notes/${String(note.body['id'])}`)).body).toEqual(note.body);
    const { approvals } = (await b.ask('GET /_svc/approvals')).body as {
      approvals: readonly { readonly approval_id: string }[];
    };
    const { status } = await b.ask(`POST /_svc/approvals/${approvals[0]?.approval_id}`, {
      ...{ approve: true, note: '' },
    });
    expect([status, effects(job)]).toEqual([200, ['refund']]);
    expect((await a.ask(`GET ${waits.headers.get('location')}`)).status).toBe(200);
  });

  it('name a server that says nothing more, and write past a transaction that nobody ends', async () => {
    verifies('scale.machines.health', 'scale.machines.stuck');
    sqld?.hang(true);
    const startMs = performance.now();
    await expect.poll(() => b.troubles(), { timeout: 20_000 }).toContain('database-unreachable');
    expect(performance.now() - startMs).toBeLessThan(toldMs);
    sqld?.hang(false);
    await expect.poll(() => b.troubles(), { timeout: 20_000 }).toEqual([]);

    const pipeline = async (baton: unknown, ...sqls: readonly string[]) => {
      const requests = sqls.map((sql) => ({ type: 'execute', stmt: { sql } }));
      const response = await fetch(`${sqld?.url}/v2/pipeline`, {
        method: 'POST',
        body: JSON.stringify({ baton, requests }),
      });
      return (await response.json()) as { baton: string; results: readonly { type: string }[] };
    };
    const stuck = await pipeline(null, 'BEGIN IMMEDIATE', `insert into notes (title) values ('stuck')`);
    const written = await a.ask('POST /notes', { title: 'past it' });
    expect(written.status).toBe(201);
    const late = await pipeline(stuck.baton, 'COMMIT');
    expect(late.results?.map(({ type }) => type)).not.toEqual(['ok']);
    expect(JSON.stringify((await b.ask('GET /notes?limit=200')).body)).not.toContain('stuck');
  });
});
