import { type Route, toTool } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { ModelTool } from '@waymark/contract/models';
import type { Principal } from '@waymark/contract/principal';
import type { AgentSettings } from '../agent/agent-settings.ts';
import { handoffPrefix, handoffTool } from '../agent/handoff-tool.ts';

/** Who a run is at the moment: the agent it was started as, or one it was handed over to. */
export interface Actor {
  readonly settings: AgentSettings;
  /** What it may do: a handoff narrows it once more. */
  readonly principal: Principal;
}

/** The tools of an agent by name, as they are declared today. */
export function toolRoutes(
  { tools }: AgentSettings,
  table: EngineContext['table'],
): ReadonlyMap<string, Route> {
  return new Map(
    tools.flatMap((name) => {
      const route = name.startsWith(handoffPrefix) ? undefined : table.tool(name);
      return route ? [[name, route] as const] : [];
    }),
  );
}

/** What a model is offered: the tools of its agent, then its handoffs. */
export function modelTools(
  settings: AgentSettings,
  table: EngineContext['table'],
  agents: ReadonlyMap<string, AgentSettings>,
): readonly ModelTool[] {
  return [
    ...[...toolRoutes(settings, table).values()].map(toModelTool),
    ...settings.handoffs.flatMap((name) => {
      const target = agents.get(name);
      return target ? [handoffTool(target)] : [];
    }),
  ];
}

function toModelTool(route: Route): ModelTool {
  const { name, description, inputSchema } = toTool(route);
  return { name, description, inputSchema: route.facts.toolInput ?? inputSchema };
}
