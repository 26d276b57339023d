import type { Problem, Route, RouteTable } from '@waymark/contract';
import { type Fault, nearestOr } from '@waymark/contract/declaring';
import type { Boot } from '@waymark/contract/engine';
import type { Kind } from './kind.ts';

/** Rules of the tools and contexts that a declaration names, by the `code` that a problem carries. */
export const useRules = {
  'unknown-tool': 'The tools of an agent or a behaviour are tools that there are.',
  'unknown-context': 'The contexts of an agent or a behaviour are context providers that there are.',
} as const;

/** Says that a name stands for nothing, and which one was probably meant. */
export function unknownName<C extends string>(
  code: C,
  [kind, what]: readonly [kind: Kind, what: string],
  name: string,
  names: Iterable<string>,
): Fault<C> {
  const fix = `declare it, or take it out of the ${kind}`;
  return { code, rule: `unknown ${what} "${name}"`, ...nearestOr(fix, name, names) };
}

/** Finds tools that the table does not have. */
export function checkTools(
  kind: Kind,
  tools: readonly string[],
  table: RouteTable,
): readonly Fault<'unknown-tool'>[] {
  const names = table.tools().map(({ name }) => name);
  return tools
    .filter((name) => !table.tool(name))
    .map((name) => unknownName('unknown-tool', [kind, 'tool'], name, names));
}

/** Finds contexts that are not declared. */
export function checkContexts(
  kind: Kind,
  contexts: readonly string[],
  known: ReadonlySet<string>,
): readonly Fault<'unknown-context'>[] {
  return contexts
    .filter((name) => !known.has(name))
    .map((name) => unknownName('unknown-context', [kind, 'context'], name, known));
}

/** Finds names that stand for no model, as the models report them. */
export function checkModels(aliases: readonly string[], models: Boot['models']): readonly Fault[] {
  return [...new Set(aliases)].flatMap((alias) => {
    const problem: Problem | undefined = models?.check(alias);
    if (!problem) return [];
    const { rule, nearest, fix, code = 'unknown-model' } = problem;
    return [{ code, rule, ...(nearest !== undefined && { nearest }), ...(fix !== undefined && { fix }) }];
  });
}

/** Finds scopes that its own tools need, and that it lacks. */
export function checkScopesOfTools<K extends Kind>(
  kind: K,
  scopes: readonly string[],
  tools: readonly Route[],
): readonly Fault<`${K}-scopes`>[] {
  return lackingScopes(scopes, tools).map(([scope, tool]) => ({
    code: `${kind}-scopes` as const,
    rule: `lacks the scope "${scope}", which its tool "${tool}" needs`,
    fix: `add '${scope}' to its scopes`,
  }));
}

/** The routes of tools that there are. */
export function routesOf(tools: readonly string[], table: RouteTable): readonly Route[] {
  return tools.flatMap((name) => table.tool(name) ?? []);
}

/** Each scope that is missing, with the first tool that needs it. */
export function lackingScopes(
  scopes: readonly string[],
  tools: readonly Route[],
): readonly (readonly [scope: string, tool: string])[] {
  const missing = new Map<string, string>();
  for (const { name, scopes: needed } of tools)
    for (const scope of needed) if (!scopes.includes(scope) && !missing.has(scope)) missing.set(scope, name);
  return [...missing];
}
