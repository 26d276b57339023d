import { parseSql, type SqlText, SqlTextError } from '../database/sql-text.ts';
import type { SqlRuleFault } from '../sql-rules.ts';

/** The name that is bound to the root principal, and that no caller can give. */
export const principalParam = '@principal';

/** A statement, read, or what keeps it from being a query. */
export interface SqlReading {
  readonly text: SqlText | undefined;
  readonly faults: readonly SqlRuleFault[];
}

/** Reads the statement of a query. */
export function readSql(sql: unknown): SqlReading {
  const fault = (rule: string): SqlReading => ({
    text: undefined,
    faults: [{ code: 'query-sql', rule, fix: 'write one SELECT, INSERT, UPDATE or DELETE' }],
  });
  if (typeof sql !== 'string') return fault('its SQL is not a text');
  try {
    const text = parseSql(sql);
    return text.kind === 'read' || text.kind === 'write'
      ? { text, faults: [] }
      : fault(`its SQL begins with ${text.verb}`);
  } catch (error) {
    if (error instanceof SqlTextError) return fault(`its SQL ${error.message}`);
    throw error;
  }
}

/** The params are of no form there is. */
export const paramsForm: SqlRuleFault = {
  code: 'query-params',
  rule: 'its params are neither a list of names nor a map of name to type',
  fix: "write params: ['id'], or params: { id: 'integer' }",
};

/** Finds names that no param can have. */
export function checkNames(names: readonly string[]): readonly SqlRuleFault[] {
  // `where owner = @principal` must never be what a caller says.
  if (names.includes('principal'))
    return [
      {
        code: 'query-principal',
        rule: 'the param "principal" would be given by callers',
        fix: `write "${principalParam}" for the root principal, or take another name`,
      },
    ];
  // A number among the names of a map comes first, wherever it was written.
  const wrong = names.find((name) => name !== principalParam && !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
  return wrong === undefined
    ? []
    : [{ code: 'query-params', rule: `"${wrong}" is no name of a param`, fix: 'write a word' }];
}

/** Finds names of the path that no param has. */
export function checkPath(names: readonly string[], pathNames: readonly string[]): readonly SqlRuleFault[] {
  return pathNames
    .filter((name) => !names.includes(name))
    .map((name) => ({
      code: 'query-placeholders',
      rule: `{${name}} in its path is not among its params`,
      fix: `add "${name}" to params`,
    }));
}

/** A placeholder and the params do not go together. */
export function placeholderFault(rule: string): SqlRuleFault {
  return {
    code: 'query-placeholders',
    rule,
    fix: 'give each placeholder its param, and each param its place',
  };
}

/** There are more placeholders than params, or fewer. */
export function countFault(places: number, names: number): SqlRuleFault {
  return placeholderFault(`it has ${places} placeholders and ${names} params`);
}
