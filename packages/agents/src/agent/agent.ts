import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/** What an agent is declared with (specification, Agent options). */
export interface AgentOptions {
  /** Alias or name of the model it thinks with; `default`. */
  readonly model?: string;
  /** What precedes every conversation; empty. */
  readonly system?: string;
  /** Describes it as a tool and in listings; empty. */
  readonly description?: string;
  /** Names of the tools it may use, other agents' included; none. */
  readonly tools?: readonly string[];
  /** Agents that it may hand its run over to; none. */
  readonly handoffs?: readonly string[];
  /** Context providers whose texts it is given once for each run; none. */
  readonly context?: readonly string[];
  /** A memory whose four tools it has; none. */
  readonly memory?: string;
  /** What a run may do, as far as its caller may do it too; nothing. */
  readonly scopes?: readonly string[];
  /** Needed to start a run; `scopes`. */
  readonly exposeScopes?: readonly string[];
  /** Model calls of one run; 12. */
  readonly maxSteps?: number;
  /** Tokens of one run and everything it calls; no limit. */
  readonly tokenBudget?: number;
  /** Whether the prompt is marked for the provider's cache; true. */
  readonly cache?: boolean;
  /** Bytes of one tool result or tool error that the model is shown; 16,384. */
  readonly toolResultLimit?: number;
  /** Measured input tokens of a call beyond which the conversation is compacted; never. */
  readonly contextWindow?: number;
  /** Alias or name of the model that compacts; `fast`. */
  readonly compactWith?: string;
  /** Newest messages that compaction leaves as they are; 6. */
  readonly keepRecent?: number;
  /** Sent only when set. */
  readonly temperature?: number;
  /** Tokens of one answer of the model; 16,000. */
  readonly maxTokens?: number;
  /** The path of its route; `/agents/` and its name with hyphens. */
  readonly exposeAt?: string;
  /** Whether it is a tool itself; true. */
  readonly tool?: boolean;
  /** Newest images that stay in the conversation; 4. */
  readonly maxImages?: number;
  /** Says that anybody shall be able to start it: warned about otherwise, and refused in production; false. */
  readonly public?: boolean;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** One declared agent. */
export type AgentDeclaration = Declaration<'agent', Omit<AgentOptions, 'declaredAt'>>;

/**
 * Declares an agent: a model that works with tools until it has an answer.
 *
 *     agent('support', { system: 'You help customers.', tools: ['list_tickets'], scopes: ['tickets:read'] })
 *
 * @param name its name as a tool, in listings and, with hyphens, in its path
 */
export function agent(name: string, options: AgentOptions = {}): AgentDeclaration {
  if (!isOptions(options)) return { kind: 'agent', name, options, declaredAt: callSite(agent) };
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(agent), ...rest } = options;
  return { kind: 'agent', name, options: rest, declaredAt };
}
