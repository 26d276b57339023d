import { type AgentOptions, type AgentsDeclaration, agent, createAgents } from '@waymark/agents';
import type { Json, Route } from '@waymark/contract';
import { testHost } from '@waymark/contract/testing';
import { createFlows, type FlowDeclaration } from '@waymark/flows';
import type { Played } from '../kills/survive.ts';
import type { Stage } from '../runs/drivers.ts';
import { spyRoute } from './spy-route.ts';
import { type Scripts, type Turn, thinkingModel } from './thinking.ts';

/** A nesting of declared agents, behaviours and flows, and the one that is started. */
export interface NestedShape extends Played {
  /** Model calls of one leg that are in flight at once: so many can be cut off by one death. */
  readonly together?: number;
  /** What its session holds when it is completed. */
  readonly messages?: number;
}

/** An agent and the turns of its model. */
export interface ScriptedAgent {
  readonly declaration: AgentsDeclaration;
  readonly script: readonly Turn[];
}

/** Declares an agent that may use every tool its model calls, and does what its script says. */
export function scripted(name: string, script: readonly Turn[], options: AgentOptions = {}): ScriptedAgent {
  const handoffs = toolsOf(script).flatMap((tool) => tool.match(/^transfer_to_(.+)/)?.[1] ?? []);
  const tools = toolsOf(script).filter((tool) => !tool.startsWith('transfer_to_'));
  const declaration = agent(name, { ...{ system: name, tools, handoffs, scopes: ['use'] }, ...options });
  return { declaration, script };
}

/** The routes that are declared, over a model that follows the scripts; what is given is told to the world. */
export function declared(
  stage: Stage,
  given: readonly (ScriptedAgent | AgentsDeclaration | FlowDeclaration)[],
): readonly Route[] {
  const scripts: Record<string, readonly Turn[]> = {};
  const all = given.map((one) => {
    if (!('script' in one)) return one;
    scripts[one.declaration.name] = one.script;
    return one.declaration;
  });
  return served(stage, all, scripts);
}

function served(
  stage: Stage,
  all: readonly (AgentsDeclaration | FlowDeclaration)[],
  scripts: Scripts,
): readonly Route[] {
  const plugins = [
    createAgents(all.filter((one) => one.kind !== 'flow')),
    createFlows(all.filter((one) => one.kind === 'flow')),
  ];
  const host = testHost({ models: thinkingModel(stage, scripts) });
  for (const plugin of plugins) void plugin.start?.(host);
  return plugins.flatMap(({ routes }) => routes.map((route) => spyRoute(route, stage)));
}

function toolsOf(script: readonly Turn[]): readonly string[] {
  return [...new Set(script.flat().map(([tool]) => tool))];
}

/** What a caller gives a tool of any kind: agents want words, the others any object. */
export function inputFor(kind: 'agent' | 'behaviour' | 'flow'): { readonly [name: string]: Json } {
  return kind === 'agent' ? { input: 'Go on.' } : {};
}
