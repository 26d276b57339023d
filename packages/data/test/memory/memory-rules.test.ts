import { DeclarationError, type Problem } from '@waymark/contract';
import type { Boot, Plugin } from '@waymark/contract/engine';
import { testHost } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createSqlRoutes, type MemoryDeclaration, memory, type SqlDatabase } from '../../src/index.ts';
import { fileDatabase } from '../open.ts';

const at = 'app.ts:1';

async function problemsOf(
  declarations: readonly MemoryDeclaration[],
  database?: SqlDatabase,
): Promise<readonly string[]> {
  const plugin = createSqlRoutes(declarations, database ?? (await fileDatabase()));
  const problems = plugin.check?.({} as Boot) ?? [];
  return (problems.length > 0 ? problems : await startProblems(plugin)).map(
    ({ code, declaration, rule, fix, nearest }) => [code, declaration, rule, fix ?? nearest].join(' | '),
  );
}

/** What only the database knows. */
async function startProblems(plugin: Plugin): Promise<readonly Problem[]> {
  try {
    await plugin.start?.(testHost());
    return [];
  } catch (error) {
    if (error instanceof DeclarationError) return error.problems;
    throw error;
  }
}

describe('the check of memories', () => {
  it('has nothing against a good one, nor against its table of an earlier start', async () => {
    const database = await fileDatabase();
    const good = [
      memory('notes', { scopes: ['a'], readScopes: [], writeScopes: ['b'], maxResults: 5 }),
      memory(),
    ];
    expect(await problemsOf(good, database)).toEqual([]);
    expect(await problemsOf(good, database)).toEqual([]);
  });

  it('says that memories need a database', () => {
    const plugin = createSqlRoutes([memory()], undefined);
    const problems = plugin.check?.({} as Boot) ?? [];
    expect(problems.map(({ code, declaration }) => [code, declaration])).toEqual([
      ['sql-database', 'memory "memory"'],
    ]);
  });

  it.each(['_notes', '1notes', 'team-notes', 'a b', '', 'a/b', '"; drop', 'é', 'x'.repeat(56)])(
    'refuses the name %j, and makes no routes for it',
    async (name) => {
      const database = await fileDatabase();
      expect(await problemsOf([memory(name)], database)).toEqual([
        expect.stringMatching(/^memory-name \| memory ".*" \| /),
      ]);
      expect(createSqlRoutes([memory(name)], database).routes).toEqual([]);
    },
  );

  it.each(['a', 'N', 'notes_2', 'x'.repeat(54), 'x'.repeat(55)])('takes the name %j', async (name) => {
    expect(await problemsOf([memory(name)])).toEqual([]);
  });

  it('says what a name was meant to be', async () => {
    expect(await problemsOf([memory('_team-notes')])).toEqual([
      `memory-name | memory "_team-notes" | the name "_team-notes" is not a letter and up to 54 letters, digits or "_" after it | write memory('team_notes')`,
    ]);
  });

  it('refuses a second memory of one name, whatever its capitals', async () => {
    const first = memory('notes', { declaredAt: at });
    expect(await problemsOf([first, memory('Notes')])).toEqual([
      'memory-taken | memory "Notes" | memory "notes" is declared at app.ts:1 already | use the tools of that one, or give this one another name',
    ]);
  });

  it('names options nobody knows, and scopes that are none', async () => {
    const given = { maxResult: 3, readScopes: 'a b' } as object;
    expect(await problemsOf([memory('notes', given)])).toEqual([
      'unknown-option | memory "notes" | unknown option "maxResult" | maxResults',
      'scope-form | memory "notes" | scopes are not a list of words without spaces | write ["a","b"]',
    ]);
  });

  it('takes 1 to 1,000,000 entries', async () => {
    const problems = async (maxEntries: number) =>
      (await problemsOf([memory('notes', { maxEntries })])).length;
    expect([await problems(1), await problems(1_000_000)]).toEqual([0, 0]);
    for (const maxEntries of [0, 1_000_001, 1.5, Number.NaN]) expect(await problems(maxEntries)).toBe(1);
  });

  it('takes 1 to 1,000 results', async () => {
    const problems = async (maxResults: number) =>
      (await problemsOf([memory('notes', { maxResults })])).length;
    expect([await problems(1), await problems(1_000)]).toEqual([0, 0]);
    expect([
      await problems(0),
      await problems(1_001),
      await problems(1.5),
      await problems(Number.NaN),
    ]).toEqual([1, 1, 1, 1]);
  });

  it.each([
    [
      'another column',
      'owner text, key text, value text, updated_at_ms integer, tag text, primary key (owner, key)',
    ],
    ['a column less', 'owner text, key text, value text, primary key (owner, key)'],
    ['another type', 'owner text, key text, value blob, updated_at_ms integer, primary key (owner, key)'],
    ['another key', 'owner text, key text primary key, value text, updated_at_ms integer'],
  ])('refuses a table with %s, and leaves it as it is', async (_, columns) => {
    const database = await fileDatabase();
    await database.write([{ sql: `create table svc_notes (${columns})` }]);
    expect(await problemsOf([memory('notes')], database)).toEqual([
      expect.stringMatching(
        /^memory-table \| memory "notes" \| its table svc_notes has other columns than a memory: owner TEXT, .* \| rename that table, or give the memory another name$/,
      ),
    ]);
    const tables = await database.many(`select name from sqlite_schema where name like 'svc_%notes%'`);
    expect(tables.filter(({ name }) => !String(name).includes('autoindex'))).toEqual([{ name: 'svc_notes' }]);
  });
});
