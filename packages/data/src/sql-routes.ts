import {
  DeclarationError,
  type Fault,
  type Plugin,
  type Problem,
  type Route,
  toProblems,
} from '@waymark/contract';
import type { SqlDatabase } from './database/sql-database.ts';
import { compareQuery } from './query/check-query.ts';
import type { QueryDeclaration } from './query/query.ts';
import { toQueryRoute } from './query/query-route.ts';
import { checkResource } from './resource/check-resource.ts';
import { prepareTable } from './resource/check-table.ts';
import type { ResourceDeclaration } from './resource/resource.ts';
import { toResourceRoutes } from './resource/resource-routes.ts';
import { toRowTable } from './resource/row-table.ts';
import type { SqlRuleFault } from './sql-rules.ts';

/** Anything that is declared over SQL. */
export type SqlDeclaration = QueryDeclaration | ResourceDeclaration;

/** One declaration at work. */
interface Part {
  readonly routes: readonly Route[];
  readonly problems: readonly Problem[];
  /** Makes its table, then looks at what only the database knows. */
  prepare(database: SqlDatabase): Promise<readonly Problem[]>;
}

/**
 * Makes the plugin of declared queries and resources. Its check finds what the declarations themselves show. Its start
 * makes tables that are missing and compares the rest with the database.
 *
 * @param database an open one; without it every declaration is a problem
 */
export function createSqlRoutes(
  declarations: readonly SqlDeclaration[],
  database: SqlDatabase | undefined,
): Plugin {
  const parts = declarations.map((declaration) =>
    declaration.kind === 'query' ? toQueryPart(declaration, database) : toResourcePart(declaration, database),
  );
  const missing = database
    ? []
    : declarations.flatMap((declaration) => problemsOf(declaration, [withoutDatabase]));
  const problems = [...missing, ...parts.flatMap((part) => part.problems)];
  return {
    name: 'sql',
    routes: parts.flatMap(({ routes }) => routes),
    check: () => problems,
    async start() {
      const broken = problems.filter(isError);
      if (broken.length > 0) throw new DeclarationError(broken);
      // Nothing is declared, or there would be a problem.
      if (!database) return;
      // Queries may ask for the tables of resources.
      const resources = parts.filter((_, i) => declarations[i]?.kind === 'resource');
      const queries = parts.filter((_, i) => declarations[i]?.kind === 'query');
      const found: Problem[] = [];
      for (const part of [...resources, ...queries]) found.push(...(await part.prepare(database)));
      if (found.length > 0) throw new DeclarationError(found);
    },
  };
}

function toQueryPart(declaration: QueryDeclaration, database: SqlDatabase | undefined): Part {
  const { route, faults } = toQueryRoute(declaration, database);
  return {
    routes: [route],
    problems: problemsOf(declaration, faults),
    prepare: async (open) => problemsOf(declaration, await compareQuery(declaration, open)),
  };
}

function toResourcePart(declaration: ResourceDeclaration, database: SqlDatabase | undefined): Part {
  const faults = checkResource(declaration);
  if (faults.length > 0)
    return { routes: [], problems: problemsOf(declaration, faults), prepare: async () => [] };
  const { table = declaration.name, createTable = true } = declaration.options.given;
  const rowTable = toRowTable(declaration);
  return {
    routes: toResourceRoutes(declaration, rowTable, database),
    problems: [],
    prepare: async (open) => problemsOf(declaration, await prepareTable(rowTable, table, createTable, open)),
  };
}

const withoutDatabase: SqlRuleFault = {
  code: 'sql-database',
  rule: 'it needs a database, and none is declared',
  fix: "write database: 'sqlite://app.db'",
};

function problemsOf(
  { kind, name, declaredAt }: SqlDeclaration,
  faults: readonly Fault[],
): readonly Problem[] {
  return toProblems(kind === 'query' ? `query ${name}` : `resource "${name}"`, declaredAt, faults);
}

function isError({ severity }: Problem): boolean {
  return severity !== 'warning';
}
