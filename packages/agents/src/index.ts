export { type AgentDeclaration, type AgentOptions, agent } from './agent/agent.ts';
export { agentRules } from './agent/agent-rules.ts';
export {
  type ContextDeclaration,
  type ContextFunction,
  type ContextOptions,
  context,
} from './context/context.ts';
export { contextRules } from './context/context-rules.ts';
export { type AgentsDeclaration, type CreateAgentsOptions, createAgents } from './create-agents.ts';
