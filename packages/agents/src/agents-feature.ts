import type { Feature } from '@waymark/contract/declaring';
import { agent } from './agent/agent.ts';
import { agentRules } from './agent/agent-rules.ts';
import { arrangeBehaviour, behaviour } from './behaviour/behaviour.ts';
import { behaviourRules } from './behaviour/behaviour-rules.ts';
import { context } from './context/context.ts';
import { contextRules } from './context/context-rules.ts';
import { type AgentsDeclaration, createAgents } from './create-agents.ts';

/**
 * Feature with the declaration calls `agent`, `behaviour` and `context`, their rules, and the plugin that serves them.
 */
export const agentsFeature = {
  name: 'agents',
  kinds: [
    { method: 'agent', declare: agent, options: 1, title: (name) => `agent "${name}"` },
    {
      method: 'behaviour',
      declare: behaviour,
      options: 1,
      title: (name) => `behaviour "${name}"`,
      arrange: (given) => arrangeBehaviour(given),
    },
    {
      method: 'context',
      declare: context,
      // A function has them after it; else they are what the context is made of.
      options: ([, source]) => (typeof source === 'function' ? 2 : 1),
      title: (name) => `context "${name}"`,
    },
  ],
  rules: { ...agentRules, ...behaviourRules, ...contextRules },
  plugin: (declarations, { hasDatabase: database }) => createAgents(declarations, { database }),
} as const satisfies Feature<AgentsDeclaration, { readonly hasDatabase: boolean }>;
