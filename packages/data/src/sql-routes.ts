import { DeclarationError, type Problem, type Route } from '@waymark/contract';
import { type Fault, isError, toProblems } from '@waymark/contract/declaring';
import type { Guard, Plugin } from '@waymark/contract/engine';
import type { SqlDatabase } from './database/sql-database.ts';
import { nameOf } from './drizzle/drizzle-table.ts';
import { toDrizzleRowTable } from './drizzle/to-drizzle-row-table.ts';
import { dataLimits } from './limits.ts';
import type { MemoryDeclaration } from './memory/memory.ts';
import { guardMemory } from './memory/memory-owner.ts';
import { memoryRoutes } from './memory/memory-routes.ts';
import { checkMemory, checkMemoryName, checkMemoryTable } from './memory/memory-rules.ts';
import { MemoryStore } from './memory/memory-store.ts';
import { compareQuery } from './query/check-query.ts';
import type { QueryDeclaration } from './query/query.ts';
import { toQueryRoute } from './query/query-route.ts';
import { checkResource } from './resource/check-resource.ts';
import { checkReferences, lookAtTable, prepareTable, type TableReader } from './resource/check-table.ts';
import type { ResourceDeclaration } from './resource/resource.ts';
import { toResourceRoutes } from './resource/resource-routes.ts';
import { type RowTable, toRowTable } from './resource/row-table.ts';
import { TableRules } from './resource/table-rules.ts';
import type { SqlRuleFault } from './sql-rules.ts';

/** Declaration of a query, a resource or a memory: what `createSqlRoutes` takes. */
export type SqlDeclaration = QueryDeclaration | ResourceDeclaration | MemoryDeclaration;

/** One declaration at work. */
interface Part {
  readonly kind: SqlDeclaration['kind'];
  readonly routes: readonly Route[];
  readonly problems: readonly Problem[];
  /** Makes its table, then looks at what only the database knows. */
  prepare(database: SqlDatabase): Promise<readonly Problem[]>;
  /** Looks at it once more, with all tables made. */
  verify?(database: SqlDatabase): Promise<readonly Problem[]>;
}

/**
 * Makes the plugin of declared queries, resources and memories. Its check reports what is wrong without the database; its
 * start, with the database open, creates missing tables and checks statements and columns.
 *
 * @param database undefined makes every declaration a problem
 */
export function createSqlRoutes(
  declarations: readonly SqlDeclaration[],
  database: SqlDatabase | undefined,
): Plugin {
  const clock = { now: Date.now };
  const parts = declarations.map((declaration) => toPart(declaration, { declarations, database, clock }));
  const missing = database
    ? []
    : declarations.flatMap((declaration) => problemsOf(declaration, [withoutDatabase]));
  const problems = [...missing, ...parts.flatMap((part) => part.problems)];
  const guards: readonly Guard[] = declarations.some(({ kind }) => kind === 'memory') ? [guardMemory] : [];
  return {
    name: 'sql',
    placement: 'any',
    routes: parts.flatMap(({ routes }) => routes),
    guards,
    check: () => problems,
    limits: () => dataLimits(declarations),
    troubles: () => database?.troubles() ?? [],
    async start(host) {
      const broken = problems.filter(isError);
      if (broken.length > 0) throw new DeclarationError(broken);
      // Nothing is declared, or there would be a problem.
      if (!database) return;
      clock.now = () => host.now();
      const found: Problem[] = [];
      for (const part of inOrder(parts)) found.push(...(await part.prepare(database)));
      for (const part of parts) found.push(...((await part.verify?.(database)) ?? []));
      if (found.length > 0) throw new DeclarationError(found);
    },
  };
}

/** Queries come last: they may ask for the tables of the others. */
function inOrder(parts: readonly Part[]): readonly Part[] {
  return [...parts.filter(({ kind }) => kind !== 'query'), ...parts.filter(({ kind }) => kind === 'query')];
}

/** What the parts are made from. */
interface Surroundings {
  readonly declarations: readonly SqlDeclaration[];
  readonly database: SqlDatabase | undefined;
  readonly clock: { readonly now: () => number };
}

function toPart(declaration: SqlDeclaration, surroundings: Surroundings): Part {
  if (declaration.kind === 'query') return toQueryPart(declaration, surroundings.database);
  if (declaration.kind === 'resource') return toResourcePart(declaration, surroundings.database);
  return toMemoryPart(declaration, surroundings);
}

function toQueryPart(declaration: QueryDeclaration, database: SqlDatabase | undefined): Part {
  const { route, faults, look } = toQueryRoute(declaration, database);
  return {
    kind: 'query',
    routes: [route],
    problems: problemsOf(declaration, faults),
    async prepare(open) {
      const found = problemsOf(declaration, await compareQuery(declaration, open));
      if (found.length === 0) await look(open);
      return found;
    },
  };
}

function toResourcePart(declaration: ResourceDeclaration, database: SqlDatabase | undefined): Part {
  const faults = checkResource(declaration);
  if (faults.length > 0)
    return {
      kind: 'resource',
      routes: [],
      problems: problemsOf(declaration, faults),
      prepare: async () => [],
    };
  const { rowTable, table, createTable } = readTable(declaration);
  const rules = new TableRules();
  return {
    kind: 'resource',
    routes: toResourceRoutes(declaration, rowTable, rules, database),
    problems: [],
    prepare: async (open) => problemsOf(declaration, await prepareTable(rowTable, table, createTable, open)),
    async verify(open) {
      await rules.look(table, open);
      return problemsOf(declaration, await checkReferences(rowTable, open));
    },
  };
}

/** The table of a resource that is well declared. */
function readTable(declaration: ResourceDeclaration): {
  readonly rowTable: RowTable;
  readonly table: string;
  readonly createTable: boolean;
} {
  const { drizzle, given } = declaration.options;
  const { createTable = true } = given;
  const table = drizzle ? nameOf(drizzle) : (given.table ?? declaration.name);
  const rowTable = drizzle ? toDrizzleRowTable(declaration, drizzle) : toRowTable(declaration);
  return { rowTable, table, createTable };
}

/** Compares the tables of resources that are well declared with a database, in which nothing is made. */
export async function compareTables(
  declarations: readonly SqlDeclaration[],
  database: TableReader,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const declaration of declarations) {
    if (declaration.kind !== 'resource' || checkResource(declaration).length > 0) continue;
    const { rowTable, table, createTable } = readTable(declaration);
    problems.push(...problemsOf(declaration, await lookAtTable(rowTable, table, createTable, database)));
  }
  return problems;
}

function toMemoryPart(declaration: MemoryDeclaration, { declarations, database, clock }: Surroundings): Part {
  const memories = declarations.filter((one): one is MemoryDeclaration => one.kind === 'memory');
  const bad = checkMemoryName(declaration, memories.slice(0, memories.indexOf(declaration)));
  if (bad.length > 0)
    return { kind: 'memory', routes: [], problems: problemsOf(declaration, bad), prepare: async () => [] };
  const store = database && new MemoryStore(database, declaration.name);
  return {
    kind: 'memory',
    routes: memoryRoutes(declaration, store && database && { database, store, now: () => clock.now() }),
    problems: problemsOf(declaration, checkMemory(declaration)),
    async prepare(open) {
      const drift = problemsOf(declaration, await checkMemoryTable(declaration.name, open));
      if (drift.length === 0) await store?.open();
      return drift;
    },
  };
}

const withoutDatabase: SqlRuleFault = {
  code: 'sql-database',
  rule: 'it needs a database, and none is declared',
  fix: "write database: 'sqlite://app.db'",
};

function problemsOf(declaration: SqlDeclaration, faults: readonly Fault[]): readonly Problem[] {
  return toProblems(titleOf(declaration), declaration.declaredAt, faults);
}

/** A query is known by its method and path, the others by their names. */
function titleOf({ kind, name }: SqlDeclaration): string {
  if (kind === 'query') return `query ${name}`;
  return typeof name === 'string' ? `${kind} ${JSON.stringify(name.slice(0, 80))}` : kind;
}
