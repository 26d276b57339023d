import {
  type Boot,
  type Fault,
  nearestOr,
  type Problem,
  type Route,
  type RouteTable,
} from '@waymark/contract';
import { fault } from './agent-rules.ts';
import type { AgentSettings } from './agent-settings.ts';
import { memoryTools } from './agent-settings.ts';
import { handoffPrefix } from './handoff-tool.ts';

/** What an agent can refer to, besides what is in the table. */
export interface Known {
  readonly agents: ReadonlyMap<string, AgentSettings>;
  readonly contexts: ReadonlySet<string>;
}

/** Finds names that stand for nothing, and what the agent lacks to use the ones that do. */
export function checkReferences(
  settings: AgentSettings,
  known: Known,
  { table, models }: Boot,
): readonly Fault[] {
  return [
    ...checkModels(settings, models),
    ...checkTools(settings, table),
    ...checkMemory(settings, table),
    ...settings.context.flatMap((name) =>
      known.contexts.has(name) ? [] : [unknown('unknown-context', 'context', name, known.contexts)],
    ),
    ...checkHandoffs(settings, known),
    ...checkScopesOfTools(settings, table),
    ...checkScopesOfTargets(settings, known, table),
    ...checkPublic(settings),
  ];
}

function unknown(
  code: 'unknown-tool' | 'unknown-agent' | 'unknown-context' | 'unknown-memory',
  kind: string,
  name: string,
  names: Iterable<string>,
): Fault {
  return {
    code,
    rule: `unknown ${kind} "${name}"`,
    ...nearestOr(`declare it, or take it out of the agent`, name, names),
  };
}

/** What the models say of a name holds for the agent that uses it. */
function checkModels({ model, compactWith }: AgentSettings, models: Boot['models']): readonly Fault[] {
  return [...new Set([model, compactWith])].flatMap((alias) => {
    const problem: Problem | undefined = models?.check(alias);
    if (!problem) return [];
    const { rule, nearest, fix, code = 'unknown-model' } = problem;
    return [{ code, rule, ...(nearest !== undefined && { nearest }), ...(fix !== undefined && { fix }) }];
  });
}

function checkTools({ tools, memory }: AgentSettings, table: RouteTable): readonly Fault[] {
  const own = tools.filter((name) => memory === null || !memoryTools(memory).includes(name));
  const names = table.tools().map(({ name }) => name);
  return own.flatMap((name): readonly Fault[] => {
    if (name.startsWith(handoffPrefix))
      return [
        fault('handoff-name', `its tool "${name}" is called as a handoff is`, 'give it another toolName'),
      ];
    return table.tool(name) ? [] : [unknown('unknown-tool', 'tool', name, names)];
  });
}

function checkMemory({ memory }: AgentSettings, table: RouteTable): readonly Fault[] {
  if (memory === null || memoryTools(memory).every((name) => table.tool(name))) return [];
  const memories = table
    .tools()
    .filter(({ engine }) => engine.kind === 'memory')
    .map(({ name }) => name.replace(/_[a-z]+$/, ''));
  return [unknown('unknown-memory', 'memory', memory, new Set(memories))];
}

function checkHandoffs({ name, handoffs }: AgentSettings, { agents }: Known): readonly Fault[] {
  return handoffs.flatMap((target): readonly Fault[] => {
    if (target === name)
      return [fault('handoff-self', 'it hands over to itself', 'take it out of its handoffs')];
    return agents.has(target) ? [] : [unknown('unknown-agent', 'agent', target, agents.keys())];
  });
}

function checkScopesOfTools(settings: AgentSettings, table: RouteTable): readonly Fault[] {
  return lacking(settings.scopes, toolsOf(settings, table)).map(([scope, tool]) =>
    fault(
      'agent-scopes',
      `lacks the scope "${scope}", which its tool "${tool}" needs`,
      `add '${scope}' to its scopes`,
    ),
  );
}

/** A handoff never adds scopes: a specialist behind a front desk has what the desk has too. */
function checkScopesOfTargets(
  { scopes, handoffs }: AgentSettings,
  { agents }: Known,
  table: RouteTable,
): readonly Fault[] {
  return handoffs.flatMap((name) => {
    const target = agents.get(name);
    if (!target) return [];
    const own = lacking(target.scopes, toolsOf(target, table)).map(([scope]) => scope);
    return lacking(scopes, toolsOf(target, table))
      .filter(([scope]) => !own.includes(scope))
      .map(([scope, tool]) => ({
        ...fault(
          'handoff-scopes',
          `hands over to "${name}", whose tool "${tool}" needs the scope "${scope}", and lacks it`,
          `add '${scope}' to its scopes: a handoff adds none`,
        ),
        severity: 'warning' as const,
      }));
  });
}

function toolsOf({ tools }: AgentSettings, table: RouteTable): readonly Route[] {
  return tools.flatMap((name) => table.tool(name) ?? []);
}

/** Each scope that is missing, with the first tool that needs it. */
function lacking(
  scopes: readonly string[],
  tools: readonly Route[],
): readonly (readonly [scope: string, tool: string])[] {
  const missing = new Map<string, string>();
  for (const { name, scopes: needed } of tools)
    for (const scope of needed) if (!scopes.includes(scope) && !missing.has(scope)) missing.set(scope, name);
  return [...missing];
}

function checkPublic(settings: AgentSettings): readonly Fault[] {
  if (settings.exposeScopes.length > 0 || settings.public) return [];
  return [
    {
      ...fault(
        'agent-public',
        'anybody can start it, and what it uses is paid for',
        'give it exposeScopes, or write public: true',
      ),
      severity: 'warning',
    },
  ];
}
