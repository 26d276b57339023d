import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { openDatabase } from '@waymark/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callers, thinking } from './agents-application.ts';
import { declareClerk as declare, heard, say } from './agents-sessions.ts';

describe('sessions over HTTP', () => {
  it('belong to one caller and one agent: the same id of two users never meets', async () => {
    verifies('session.key');
    const app = await thinking(declare);
    await Promise.all([
      say(app, 'shared', 'word-of-ann', 'ANN_KEY'),
      say(app, 'shared', 'word-of-ben', 'BEN_KEY'),
    ]);
    expect(await heard(app, 'shared', 'ANN_KEY')).toEqual(['word-of-ann']);
    expect(await heard(app, 'shared', 'BEN_KEY')).toEqual(['word-of-ben']);
    expect(await heard(app, 'shared', 'ANN_KEY', 'other')).toEqual([]);
    // What stands between the parts of a key inside the program means nothing in an id.
    for (const id of ['ann:shared', 'clerk:ann:shared', '%3Ashared', 'shared ', 'SHARED'])
      expect(await heard(app, id, 'BEN_KEY')).toEqual([]);
  });

  it('take one turn after the other, whole: nothing of one is said inside another', async () => {
    verifies('session.turns-queue');
    const app = await thinking(declare);
    const turns = [1, 2, 3, 4, 5].map((n) =>
      app.ask('clerk', { input: `word-q${n} [[latency 20]] [[say word-a${n}]]`, session_id: 's' }),
    );
    for (const { status } of await Promise.all(turns)) expect(status).toBe(200);
    const said = await heard(app, 's');
    // Each question is followed by a script that names its answer, then by that answer.
    expect(said).toHaveLength(15);
    for (let i = 0; i < said.length; i += 3) {
      const n = said[i]?.slice(-1);
      expect(said.slice(i, i + 3)).toEqual([`word-q${n}`, `word-a${n}`, `word-a${n}`]);
    }
  });

  it('begin anew with `reset`, which cancels a run that waits in them first', async () => {
    verifies('session.reset', 'session.waits');
    const app = await thinking(declare);
    await say(app, 's', 'word-old');
    const waiting = await app.ask('clerk', { input: 'word-sold [[call sell {}]]', session_id: 's' });
    expect(waiting.status).toBe(202);
    const refused = await app.ask('clerk', { input: 'More.', session_id: 's' });
    expect(refused.status).toBe(409);
    const [approval] = waiting.value.pending_approvals ?? [];
    expect(refused.value).toMatchObject({
      code: 'session_waits',
      run: {
        run_id: waiting.value.run_id,
        pending_approvals: [{ approval_id: approval?.approval_id, tool: 'sell' }],
      },
    });
    // Another caller, and another session, wait for nothing.
    await say(app, 's', 'word-of-ben', 'BEN_KEY');
    await say(app, 't', 'word-elsewhere');

    const anew = { input: 'word-new [[say Fine.]]', session_id: 's', reset: true };
    expect((await app.ask('clerk', anew)).status).toBe(200);
    expect(await heard(app, 's')).toEqual(['word-new']);
    const decision = { approve: true, note: '' };
    expect((await app.send(`/_svc/approvals/${approval?.approval_id}`, decision)).status).toBe(409);
    const { status, value } = await app.send(`/agents/clerk/runs/${waiting.value.run_id}`);
    expect([status, value.status]).toEqual([200, 'cancelled']);
    expect(await heard(app, 't')).toEqual(['word-elsewhere']);
  });

  it('tell a turn that has not begun when the server ends nothing of the run before it', async () => {
    const app = await thinking(declare);
    const input = '[[latency 1000]] [[call sell {}]] [[call nothing {}]] [[say Sold.]]';
    const first = await app.ask('clerk', { input, session_id: 's' });
    const [approval] = first.value.pending_approvals ?? [];
    const decided = app.send(`/_svc/approvals/${approval?.approval_id}`, { approve: true, note: '' });
    const running = async () => (await app.send('/_svc/runs?status=running')).text;
    await expect.poll(running).toContain(first.value.run_id);
    const second = app.ask('clerk', { input: '[[say Fine.]]', session_id: 's' });
    // It waits in the store by then: nobody can see it there.
    await sleep(300);
    await app.close();
    const { status, text } = await second;
    expect(status).toBe(503);
    expect(text).not.toContain(first.value.run_id);
    expect((await decided).text).toContain(first.value.run_id);
  });

  it('are over after a turn that failed as they were before it', async () => {
    verifies('session.appended');
    const app = await thinking(declare);
    await say(app, 's', 'word-kept');
    expect((await app.ask('clerk', { input: 'word-lost [[error 400]]', session_id: 's' })).status).toBe(502);
    expect(await heard(app, 's')).toEqual(['word-kept']);
  });
});

describe('the option `sessions` of an application', () => {
  it('says how many are kept: the one that was not used for longest goes', async () => {
    verifies('session.options');
    const app = await thinking(declare, { sessions: { capacity: 2 } });
    for (const session of ['a', 'b', 'c']) await say(app, session, `word-${session}`);
    expect(await heard(app, 'c')).toEqual(['word-c']);
    expect(await heard(app, 'b')).toEqual(['word-b']);
    expect(await heard(app, 'a')).toEqual([]);
  });

  it('says how many one caller has: those of another stay, however many there are', async () => {
    verifies('session.options', 'session.own-only');
    const app = await thinking(declare, { sessions: { perCaller: 3 } });
    await say(app, 'mine', 'word-of-ann', 'ANN_KEY');
    for (let n = 0; n < 12; n++) await say(app, `s${n}`, `word-${n}`, 'BEN_KEY');
    expect(await heard(app, 'mine', 'ANN_KEY')).toEqual(['word-of-ann']);
    expect(await heard(app, 's9', 'BEN_KEY')).toEqual(['word-9']);
    expect(await heard(app, 's8', 'BEN_KEY')).toEqual([]);
  });

  it('says how many there are of all: a new one is refused, and told when to come again', async () => {
    verifies('session.full');
    const app = await thinking(declare, { sessions: { capacity: 2, perCaller: 1, ttl: 4 } });
    await say(app, 'a', 'word-of-ann', 'ANN_KEY');
    await say(app, 'b', 'word-of-ben', 'BEN_KEY');
    const ask = () =>
      fetch(`${app.url}/agents/clerk`, {
        method: 'POST',
        headers: { 'x-api-key': callers.CAT_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ input: '[[say Fine.]]', session_id: 'c' }),
      });
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await refused.json()).toMatchObject({
      code: 'sessions_full',
      detail: 'no more sessions are kept at the moment; go on with one that there is, or come again later',
    });
    expect(await heard(app, 'a', 'ANN_KEY')).toEqual(['word-of-ann']);
    await say(app, 'another', 'word-of-ben', 'BEN_KEY');
    // What was not used within its time is free room.
    await expect.poll(async () => (await ask()).status, { interval: 100, timeout: 10_000 }).toBe(200);
  });

  it('counts those that wait: a caller whose sessions all wait is refused another', async () => {
    verifies('session.full');
    const app = await thinking(declare, { sessions: { perCaller: 1 } });
    const waiting = await app.ask('clerk', { input: '[[call sell {}]]', session_id: 's' });
    expect(waiting.status).toBe(202);
    const refused = await app.ask('clerk', { input: '[[say Fine.]]', session_id: 't' });
    expect([refused.status, refused.value]).toMatchObject([429, { code: 'sessions_full' }]);
    await say(app, 's', 'word-of-ben', 'BEN_KEY');
  });

  it('says how much may be said in one: it takes no turn from then on that does not begin anew', async () => {
    verifies('session.bytes');
    const app = await thinking(declare, { sessions: { maxBytes: 3_000 } });
    await say(app, 's', 'word-before');
    await app.ask('clerk', { input: `[[say Fine.]] ${'x'.repeat(3_000)}`, session_id: 's' });
    const refused = await app.ask('clerk', { input: '[[say Fine.]]', session_id: 's' });
    expect([refused.status, refused.value]).toMatchObject([
      409,
      {
        code: 'session_full',
        detail: 'as much was said in this session as one may hold; begin another one, or send reset: true',
      },
    ]);
    await say(app, 'another', 'word-elsewhere');
    const anew = await app.ask('clerk', { input: '[[say Fine.]]', session_id: 's', reset: true });
    expect(anew.status).toBe(200);
    expect(await heard(app, 's')).toEqual([]);
  });

  it('says for how long', async () => {
    verifies('session.options');
    const app = await thinking(declare, { sessions: { ttl: 0.3 } });
    await say(app, 's', 'word-old');
    // Each look is a turn of its own, so looks have to be further apart than a session lasts.
    await expect.poll(() => heard(app, 's'), { interval: 400, timeout: 10_000 }).toEqual([]);
  });

  it('leaves a session an hour unless it says otherwise', async () => {
    verifies('session.ttl.default');
    const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = `file:${join(folder, 'desk.db')}`;
    const app = await thinking(declare, { database: file });
    const other = await openDatabase(file);
    onTestFinished(() => other.close());
    // The clock of the database cannot be moved: what it wrote is moved instead.
    const age = (seconds: number): Promise<unknown> =>
      other.write([{ sql: 'update svc__session set touched_ms = touched_ms - ?', args: [seconds * 1_000] }]);
    await say(app, 's', 'word-old');
    await age(3_500);
    expect(await heard(app, 's')).toEqual(['word-old']);
    await age(3_601);
    expect(await heard(app, 's')).toEqual([]);
  });
});
