import { AsyncResource, createHook } from 'node:async_hooks';
import type { EngineContext } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { commitChange } from '../src/change.ts';
import { query, resource, type SqlDatabase } from '../src/index.ts';
import { serve } from './ask.ts';
import { fileDatabase, testDatabase } from './open.ts';

const places = [
  ['in a file', fileDatabase],
  ['in memory', () => testDatabase()],
] as const;

/** What a function gives, and how many promises were made for that. */
function countPromises<T>(work: () => T): { readonly value: T; readonly promises: number } {
  let promises = 0;
  const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && promises++) }).enable();
  const value = work();
  hook.disable();
  return { value, promises };
}

/** A caller who counts how often its signal is asked for. */
function caller(end = new AbortController()) {
  const seen = { signals: 0 };
  const context: Pick<EngineContext, 'step' | 'signal'> = {
    step: undefined,
    get signal() {
      seen.signals++;
      return end.signal;
    },
  };
  return { seen, context, end };
}

const insert = (database: SqlDatabase, context: ReturnType<typeof caller>['context'], a: string) =>
  commitChange(database, context, {
    statements: [{ sql: 'insert into t (a) values (?)', args: [a] }],
    answer: () => 'stored' as never,
  });

describe.each(places)('reading %s', (_, open) => {
  it.each([
    ['a row', 'get_tickets', { id: 1 }],
    ['a list', 'list_tickets', { limit: 20, offset: 0 }],
    ['a query', 'get_titles', {}],
  ])('%s makes no promise', async (_what, tool, input) => {
    verifies('sql.reads.at-once');
    const database = await open();
    const { table, ask } = await serve(
      [
        resource('tickets', { title: 'string' }, { tools: true }),
        query('GET', '/titles', 'select title from tickets', { tool: true, toolName: 'get_titles' }),
      ],
      database,
    );
    await ask('create_tickets', { title: 'a' });
    const engine = table.get(tool)?.engine;
    const context = {
      ...{ input, request: { path: '/', query: {}, headers: {} } },
      get signal(): never {
        throw new Error('nobody needs a signal');
      },
    } as unknown as EngineContext;
    // What is made once for a statement is made.
    engine?.answer?.(context);
    const { value, promises } = countPromises(() => engine?.answer?.(context));
    expect(promises).toBe(0);
    expect(value).toMatchObject({ status: 200 });
  });
});

describe('reading in memory', () => {
  it('waits for a transaction, whose state nobody sees but itself', async () => {
    const database = await testDatabase();
    await database.write([{ sql: 'create table t (a)' }]);
    const count = [{ sql: 'select count(*) from t' }];
    const outside = AsyncResource.bind(() => [database.readNow(count), database.read(count)] as const);
    const [now, later] = await database.transaction(async (transaction) => {
      await transaction.run(`insert into t values ('x')`);
      return outside();
    });
    expect(now).toBeUndefined();
    expect((await later)[0]?.rows).toEqual([[1]]);
    expect(database.readNow(count)?.[0]?.rows).toEqual([[1]]);
  });
});

/** A database that writes nothing until it is let. */
async function heldDatabase() {
  const database = await fileDatabase();
  await database.write([{ sql: 'create table t (a)' }]);
  let release = (): void => undefined;
  let held: Promise<void> | undefined;
  await new Promise<void>((begun) => {
    held = database.transaction(async () => {
      begun();
      await new Promise<void>((done) => {
        release = done;
      });
    });
  });
  return { database, release: () => release(), held };
}

describe('a change', () => {
  it('asks for no signal where it waits for nobody', async () => {
    verifies('sql.writes.signal');
    const database = await fileDatabase();
    await database.write([{ sql: 'create table t (a)' }]);
    const { context, seen } = caller();
    await insert(database, context, 'a');
    expect(seen.signals).toBe(0);
  });

  it('is withdrawn while it waits for others', async () => {
    verifies('sql.writes.signal');
    const { database, release, held } = await heldDatabase();
    const [kept, given] = [caller(), caller()];
    const stored = insert(database, kept.context, 'kept');
    const withdrawn = insert(database, given.context, 'given');
    given.end.abort(new Error('gone away'));
    await expect(withdrawn).rejects.toThrow('gone away');
    release();
    await Promise.all([held, stored]);
    expect([kept.seen.signals, given.seen.signals]).toEqual([1, 1]);
    expect(await database.many('select a from t')).toEqual([{ a: 'kept' }]);
  });
});
