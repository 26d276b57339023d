import { DatabaseSync } from 'node:sqlite';
import type { EndedSession } from '@waymark/contract/principal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sqlStores } from '../../src/stores/index.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { sqlEndedSessions } from '../../src/stores/sql-ended-sessions.ts';
import { testDatabase } from '../open.ts';

const lastsMs = 1_000;
const nowMs = 10_000;

function session(id: string, holder: string, issuedAtMs: number): EndedSession {
  return { id, holder, issuedAtMs, expiresAtMs: issuedAtMs + lastsMs };
}

/** What stands for all sessions of a holder that were issued up to then. */
function upTo(holder: string, issuedAtMs: number): EndedSession {
  return session('', holder, issuedAtMs);
}

async function opened(keep?: number) {
  const store = sqlEndedSessions(await testDatabase(), keep === undefined ? {} : { keep });
  return {
    async end(...sessions: readonly EndedSession[]) {
      for (const one of sessions) await store.add(one, nowMs);
    },
    async kept() {
      const { ended } = await store.following(0, 1_000);
      return ended.map((one) => one.session);
    },
    store,
  };
}

/** Whether a session is refused by whoever has read these. */
function refuses(kept: readonly EndedSession[], { id, holder, issuedAtMs }: EndedSession): boolean {
  return kept.some((one) =>
    one.id === ''
      ? (one.holder === '' || one.holder === holder) && issuedAtMs <= one.issuedAtMs
      : one.id === id,
  );
}

describe('sqlEndedSessions', () => {
  it('gives back what was ended, in the order in which it was stored, and once', async () => {
    const { end, kept, store } = await opened();
    const both = [session('a', 'ada', nowMs), session('b', 'bob', nowMs - 5)];
    await end(...both, ...both);
    expect(await kept()).toEqual(both);
    const first = await store.following(0, 1);
    expect(first).toMatchObject({ ended: [{ session: both[0] }], newest: 2 });
    expect(await store.following(first.ended[0]?.n ?? 0, 5)).toMatchObject({ ended: [{ session: both[1] }] });
    expect(await store.following(2, 5)).toEqual({ ended: [], newest: 2 });
  });

  it('keeps as many as it may, and of one more lets go what has expired', async () => {
    const { end, kept } = await opened(2);
    const old = session('old', 'ada', nowMs - lastsMs);
    await end(old, session('a', 'ada', nowMs));
    // The clock may be set back, and nobody needs the room.
    expect(await kept()).toHaveLength(2);
    await end(session('b', 'bob', nowMs));
    expect(await kept()).toEqual([session('a', 'ada', nowMs), session('b', 'bob', nowMs)]);
  });

  it('lets the holder with the most give up its oldest ones', async () => {
    const { end, kept } = await opened(3);
    await end(session('a', 'ada', nowMs - 3), session('x', 'bob', nowMs - 9), session('b', 'ada', nowMs - 2));
    await end(session('c', 'ada', nowMs));
    expect(await kept()).toEqual([
      session('x', 'bob', nowMs - 9),
      session('c', 'ada', nowMs),
      upTo('ada', nowMs - 2),
    ]);
  });

  it('refuses everybody what is older than what had to go, when nobody has more than one', async () => {
    const { end, kept } = await opened(2);
    await end(session('a', 'ada', nowMs - 3), session('b', 'bob', nowMs - 2), session('c', 'eve', nowMs - 1));
    expect(await kept()).toEqual([session('c', 'eve', nowMs - 1), upTo('', nowMs - 2)]);
  });

  it('never loses what was ended, nor keeps more than it may, and tells whoever follows', async () => {
    const events = fc.array(
      fc.record({ holder: fc.constantFrom('ada', 'bob', 'eve', 'joe'), ageMs: fc.nat(900) }),
      {
        maxLength: 30,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), events, fc.nat(30), async (keep, list, from) => {
        const { end, kept, store } = await opened(keep);
        const followed: EndedSession[] = [];
        let read = 0;
        for (const [i, { holder, ageMs }] of list.entries()) {
          await end(session(`s${i}`, holder, nowMs - ageMs));
          expect((await kept()).length).toBeLessThanOrEqual(keep);
          if (i < from) continue;
          const { ended } = await store.following(read, 1_000);
          read = ended.at(-1)?.n ?? read;
          followed.push(...ended.map((one) => one.session));
        }
        const all = await kept();
        for (const [i, { holder, ageMs }] of list.entries()) {
          const one = session(`s${i}`, holder, nowMs - ageMs);
          expect(refuses(all, one)).toBe(true);
          if (list.length > from) expect(refuses(followed, one)).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('hears of what an older release has ended, which tells the audit log alone', async () => {
    const database = await testDatabase();
    const { audit, endedSessions } = sqlStores(database);
    const told = {
      ...{ id: '01', at_ms: nowMs, kind: 'session_ended', principal: 'ada', session: 'a', holder: 'key ada' },
      ...{ issued_at_ms: nowMs, expires_at_ms: nowMs + lastsMs },
    };
    await audit.append([told, { ...told, id: '02' }, { id: '03', at_ms: nowMs, kind: 'session_opened' }]);
    await audit.append([{ id: '04', at_ms: nowMs, kind: 'session_ended' }]);
    const { ended } = await endedSessions.following(0, 10);
    expect(ended.map((one) => one.session)).toEqual([session('a', 'key ada', nowMs)]);
  });

  it('hears nothing new of what it keeps, nor of what a line stands for', async () => {
    const database = await testDatabase();
    const { audit, endedSessions } = sqlStores(database, { endedSessions: { keep: 3 } });
    const all = Array.from({ length: 9 }, (_, i) => session(`s${i}`, i === 0 ? 'bob' : 'ada', nowMs + i));
    for (const one of all) await endedSessions.add(one, nowMs);
    const { ended: kept } = await endedSessions.following(0, 100);
    await audit.append(
      all.map(({ id, holder, issuedAtMs, expiresAtMs }) => ({
        ...{ id: `audit ${id}`, at_ms: nowMs, kind: 'session_ended', session: id, holder },
        ...{ issued_at_ms: issuedAtMs, expires_at_ms: expiresAtMs },
      })),
    );
    expect((await endedSessions.following(0, 100)).ended).toEqual(kept);
    expect(kept.length).toBeLessThanOrEqual(3);
  });

  it('takes up what the audit log has told of until its table was made', () => {
    const database = new DatabaseSync(':memory:');
    for (const step of migrations.slice(0, endedStep)) for (const sql of step) database.exec(sql);
    const insert = database.prepare('insert into svc__audit (id, kind, record) values (?, ?, ?)');
    const told = (id: string, record: object) => insert.run(id, 'session_ended', JSON.stringify(record));
    told('1', { session: 'a', holder: 'key ada', issued_at_ms: 5, expires_at_ms: 9 });
    told('2', { principal: 'of something else' });
    for (const sql of migrations[endedStep] ?? []) database.exec(sql);
    expect(
      database.prepare('select id, holder, issued_ms, expires_ms from svc__ended_session').all(),
    ).toEqual([{ id: 'a', holder: 'key ada', issued_ms: 5, expires_ms: 9 }]);
    database.close();
  });
});

/** The step that makes the table. */
const endedStep = migrations.findIndex((step) =>
  step.some((sql) => sql.includes('create table svc__ended_session')),
);
