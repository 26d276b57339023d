import type { RouteTable } from '@waymark/contract';
import type { Fault } from '@waymark/contract/declaring';
import type { Boot } from '@waymark/contract/engine';
import { checkPublic } from '../check/check-exposure.ts';
import {
  checkContexts,
  checkModels,
  checkScopesOfTools,
  checkTools,
  lackingScopes,
  routesOf,
  unknownName,
} from '../check/check-uses.ts';
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
  { table, models, env }: Boot,
): readonly Fault[] {
  return [
    ...checkModels([settings.model, settings.compactWith], models),
    ...checkOwnTools(settings, table),
    ...checkMemory(settings, table),
    ...checkContexts('agent', settings.context, known.contexts),
    ...checkHandoffs(settings, known),
    ...checkScopesOfTools('agent', settings.scopes, routesOf(settings.tools, table)),
    ...checkScopesOfTargets(settings, known, table),
    ...checkPublic('agent', settings, { env }),
  ];
}

function checkOwnTools({ tools, memory }: AgentSettings, table: RouteTable): readonly Fault[] {
  const own = tools.filter((name) => memory === null || !memoryTools(memory).includes(name));
  const isHandoff = (name: string): boolean => name.startsWith(handoffPrefix);
  return [
    ...own
      .filter(isHandoff)
      .map((name) =>
        fault('handoff-name', `its tool "${name}" is called as a handoff is`, 'give it another toolName'),
      ),
    ...checkTools(
      'agent',
      own.filter((name) => !isHandoff(name)),
      table,
    ),
  ];
}

function checkMemory({ memory }: AgentSettings, table: RouteTable): readonly Fault[] {
  if (memory === null || memoryTools(memory).every((name) => table.tool(name))) return [];
  const memories = new Set(table.tools().flatMap(({ facts }) => facts.memory ?? []));
  return [unknownName('unknown-memory', ['agent', 'memory'], memory, memories)];
}

function checkHandoffs({ name, handoffs }: AgentSettings, { agents }: Known): readonly Fault[] {
  return handoffs.flatMap((target): readonly Fault[] => {
    if (target === name)
      return [fault('handoff-self', 'it hands over to itself', 'take it out of its handoffs')];
    return agents.has(target)
      ? []
      : [unknownName('unknown-agent', ['agent', 'agent'], target, agents.keys())];
  });
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
    const needed = routesOf(target.tools, table);
    const own = lackingScopes(target.scopes, needed).map(([scope]) => scope);
    return lackingScopes(scopes, needed)
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
