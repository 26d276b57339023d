import { HTTPError, type Json, type Route, Type, toRoute } from '@waymark/contract';
import { checkScopes, isOptions } from '@waymark/contract/declaring';
import type { Engine, EngineContext } from '@waymark/contract/engine';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlResult } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { keyPattern, maxKeyLength } from '../key-pattern.ts';
import { readSignal } from '../read-signal.ts';
import type { MemoryDeclaration } from './memory.ts';
import type { MemoryEntry } from './memory-entry.ts';
import { ownerOf } from './memory-owner.ts';
import { defaultMaxEntries, isMaxEntries, isMaxResults } from './memory-rules.ts';
import type { MemoryStore } from './memory-store.ts';

/** What the routes of a memory work with. */
export interface MemoryParts {
  readonly database: SqlDatabase;
  readonly store: MemoryStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The longest value, in characters. */
export const maxValueLength = 16_384;

/** The longest query, in characters. */
export const maxQueryLength = 1_000;

const Key = Type.String({ minLength: 1, maxLength: maxKeyLength });
/** What is kept can be reached by its path. */
const NewKey = Type.String({ ...Key, pattern: keyPattern });
const Entry = Type.Object({ key: Type.String(), value: Type.String(), updated_at_ms: Type.Integer() });
const Affected = Type.Object({ affected: Type.Integer() });

/** The four routes of a memory: remember, recall, search, forget. Without a database they answer nothing. */
export function memoryRoutes(
  declaration: MemoryDeclaration,
  parts: MemoryParts | undefined,
): readonly Route[] {
  const { name, options, declaredAt } = declaration;
  const given = isOptions(options) ? options : {};
  const { scopes = [], readScopes = scopes, writeScopes = scopes } = given;
  // The check says what is wrong with another one, once.
  const maxResults = isMaxResults(given.maxResults) ? given.maxResults : 10;
  const maxEntries = isMaxEntries(given.maxEntries) ? given.maxEntries : defaultMaxEntries;
  const engine = (make: (parts: MemoryParts) => Engine): Engine => (parts ? make(parts) : { kind: 'memory' });
  const common = (verb: string, needed: unknown) => ({
    ...{ tool: true, toolName: `${name}_${verb}`, declaredAt },
    // The check of the memory says what is wrong with them, once instead of four times.
    scopes: checkScopes(needed).length === 0 ? (needed as readonly string[]) : [],
    // Nobody without a name has anything to remember, whatever the credentials of the application are.
    facts: { fails: [401], named: true, memory: name } as const,
  });
  return [
    toRoute(
      'POST',
      `/${name}/remember`,
      engine((all) => rememberEngine(all, maxEntries)),
      {
        ...common('remember', writeScopes),
        ...{ idempotent: true, placement: 'owner' },
        facts: { fails: [401, 409], named: true, memory: name },
        summary: `Keeps a value under a key in ${name}; what was there under that key is replaced.`,
        input: { key: NewKey, value: Type.String({ maxLength: maxValueLength }) },
        output: Entry,
      },
    ),
    toRoute('GET', `/${name}/recall/{key}`, engine(recallEngine), {
      ...common('recall', readScopes),
      summary: `Gives the value kept under a key in ${name}.`,
      input: { key: Key },
      output: Entry,
    }),
    toRoute(
      'GET',
      `/${name}/search`,
      engine((all) => searchEngine(all, maxResults)),
      {
        ...common('search', readScopes),
        summary: `Finds what is kept in ${name} by words of key and value, best matches first.`,
        input: {
          query: Type.String({ minLength: 1, maxLength: maxQueryLength }),
          limit: Type.Integer({ minimum: 1, default: maxResults }),
        },
        output: Type.Array(Entry),
      },
    ),
    toRoute('DELETE', `/${name}/forget/{key}`, engine(forgetEngine), {
      ...common('forget', writeScopes),
      placement: 'owner',
      summary: `Takes a key and its value out of ${name}.`,
      input: { key: Key },
      output: Affected,
    }),
  ];
}

function rememberEngine(parts: MemoryParts, maxEntries: number): Engine {
  return {
    kind: 'memory',
    durability: 'transaction',
    async answer(context) {
      const { key, value } = texts(context, 'key', 'value');
      const owner = ownerOf(context.principal);
      // Those that are stored in the same moment are on top: each finds room.
      const asked = [parts.store.hasRoom(owner, key, maxEntries)];
      const [room] = await parts.database.read(asked, readSignal(parts.database, context));
      if (room?.rows[0]?.[0] !== 1) throw full(maxEntries);
      const entry = { key, value, updated_at_ms: parts.now() };
      return commit(parts, context, parts.store.remember(owner, entry), () => entry);
    },
  };
}

function full(maxEntries: number): HTTPError {
  const message = `no more than ${maxEntries} of your entries are kept here; forget one, or replace one`;
  return new HTTPError(409, message, { code: 'memory_full' });
}

function recallEngine({ database, store }: MemoryParts): Engine {
  return {
    kind: 'memory',
    async answer(context): Promise<MemoryEntry> {
      const { key } = texts(context, 'key');
      const entry = await store.recall(ownerOf(context.principal), key, readSignal(database, context));
      if (!entry) throw new HTTPError(404, 'nothing is kept under this key');
      return entry;
    },
  };
}

function searchEngine({ database, store }: MemoryParts, maxResults: number): Engine {
  return {
    kind: 'memory',
    answer(context) {
      const { query } = texts(context, 'query');
      const limit = Math.min(Number(context.input['limit']), maxResults);
      return store.search(ownerOf(context.principal), query, limit, readSignal(database, context));
    },
  };
}

function forgetEngine(parts: MemoryParts): Engine {
  return {
    kind: 'memory',
    durability: 'transaction',
    async answer(context) {
      const { key } = texts(context, 'key');
      const statements = parts.store.forget(ownerOf(context.principal), key);
      return commit(parts, context, statements, (results) => ({ affected: results.at(-1)?.affected ?? 0 }));
    },
  };
}

/** One commit; inside a run together with the step that asked for it, so that it happens once. */
async function commit<T extends Json>(
  { database }: MemoryParts,
  { step, signal }: EngineContext,
  statements: readonly Statement[],
  toValue: (results: readonly SqlResult[]) => T,
): Promise<T> {
  if (!step) return toValue(await database.write(statements, signal));
  return database.transaction(async (transaction) => {
    const results: SqlResult[] = [];
    for (const { sql, args } of statements) results.push(await transaction.run(sql, args));
    const value = toValue(results);
    await step.record({ ok: true, status: 200, value }, transaction.handle);
    return value;
  }, signal);
}

/** The dispatcher has validated the input: these are texts. */
function texts<K extends string>({ input }: EngineContext, ...names: readonly K[]): Record<K, string> {
  return Object.fromEntries(names.map((name) => [name, String(input[name])])) as Record<K, string>;
}
