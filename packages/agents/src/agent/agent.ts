import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/** Options of an agent (specification, Agent options). Every one has a default. */
export interface AgentOptions {
  /** Alias or name of the model that it thinks with; default: the alias `default`. */
  readonly model?: string;
  /** System prompt, before every conversation; default: empty. */
  readonly system?: string;
  /** Description of the agent as a tool and in listings; default: empty. */
  readonly description?: string;
  /** Names of the tools it may use: those of routes, agents, behaviours and flows; default: none. */
  readonly tools?: readonly string[];
  /** Names of agents that it may hand its run over to; default: none. */
  readonly handoffs?: readonly string[];
  /** Names of context providers whose texts it is given once in each run; default: none. */
  readonly context?: readonly string[];
  /** Name of a memory; the agent has its four tools besides `tools`. Default: none. */
  readonly memory?: string;
  /** Scopes of a run: it has those of them that its caller has too. Default: none. */
  readonly scopes?: readonly string[];
  /** Scopes that a caller needs to start a run; default: those in `scopes`. */
  readonly exposeScopes?: readonly string[];
  /** Model calls that one run may make, 1 to 1,000; default: 12. */
  readonly maxSteps?: number;
  /** Tokens that one run and the runs it starts may use, 1 to 1,000,000,000; default: no limit. */
  readonly tokenBudget?: number;
  /** Marks the prompt for the provider's cache; default: true. */
  readonly cache?: boolean;
  /** Bytes of one tool result or tool error that the model is shown, 1 to 8,388,608 (8 MiB); default: 16,384. */
  readonly toolResultLimit?: number;
  /**
   * Input tokens of a model call, as measured, above which the conversation is compacted, 100 to 100,000,000; default:
   * never.
   */
  readonly contextWindow?: number;
  /** Alias or name of the model that writes the summary of a compaction; default: the alias `fast`. */
  readonly compactWith?: string;
  /** Newest messages that compaction leaves as they are, 1 to 1,000; default: 6. */
  readonly keepRecent?: number;
  /** Sampling temperature, 0 to 2; default: not sent, so that the provider decides. */
  readonly temperature?: number;
  /** Tokens of one answer of the model, 1 to 1,000,000; default: 16,000. */
  readonly maxTokens?: number;
  /** Path of its route, without parameters; default: `/agents/` and its name with hyphens for underscores. */
  readonly exposeAt?: string;
  /** Offers it as a tool to other agents, behaviours, flows and MCP clients; default: true. */
  readonly tool?: boolean;
  /** Bytes of one `input`, in UTF-8, 1 to 16,777,216 (16 MiB); longer ones are 422. Default: 1,048,576 (1 MiB). */
  readonly maxInputBytes?: number;
  /**
   * Takes images; default: true. Without them `images` is no member of its input, and a body is at most `maxInputBytes` and
   * 1 MiB, instead of 32 MiB.
   */
  readonly images?: boolean;
  /** Newest images that stay in the conversation, 0 to 100; default: 4. */
  readonly maxImages?: number;
  /**
   * Confirms that an agent whose `exposeScopes` are empty is open to anybody; default: false. Without it such an agent
   * is warned about, and with `NODE_ENV=production` the server does not start.
   */
  readonly public?: boolean;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Declaration of an agent, as `agent` returns it. */
export type AgentDeclaration = Declaration<'agent', Omit<AgentOptions, 'declaredAt'>>;

/**
 * Declares an agent: a model that works with tools until it has an answer.
 *
 *     agent('support', { system: 'You help customers.', tools: ['list_tickets'], scopes: ['tickets:read'] })
 *
 * @param name a letter and up to 51 letters, digits, `_` or `-`; its name as a tool, in listings and, with hyphens, in
 * its path
 */
export function agent(name: string, options: AgentOptions = {}): AgentDeclaration {
  if (!isOptions(options)) return { kind: 'agent', name, options, declaredAt: callSite(agent) };
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(agent), ...rest } = options;
  return { kind: 'agent', name, options: rest, declaredAt };
}
