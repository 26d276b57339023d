export { type AgentDeclaration, type AgentOptions, agent } from './agent/agent.ts';
export { agentRules } from './agent/agent-rules.ts';
export { agentsFeature } from './agents-feature.ts';
export {
  type BehaviourDeclaration,
  type BehaviourFunction,
  type BehaviourInput,
  type BehaviourOptions,
  behaviour,
} from './behaviour/behaviour.ts';
export type {
  AskManyOptions,
  AskOptions,
  BehaviourContext,
  BehaviourUsage,
  GatherItem,
  GatherOptions,
  GatherValues,
  TraceEntry,
} from './behaviour/behaviour-context.ts';
export { behaviourRules } from './behaviour/behaviour-rules.ts';
export type { ToolArguments, ToolInput, ToolName, ToolOutput, ToolTypes } from './behaviour/tool-types.ts';
export { ToolError } from './behaviour-run/tool-error.ts';
export {
  type ContextDeclaration,
  type ContextFunction,
  type ContextOptions,
  context,
} from './context/context.ts';
export { contextRules } from './context/context-rules.ts';
export { type AgentsDeclaration, type CreateAgentsOptions, createAgents } from './create-agents.ts';
