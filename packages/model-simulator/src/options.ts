import type { Quirk } from './quirks.ts';
import type { Conversation } from './request/conversation.ts';

/** Options of a simulator. Every one has a default. */
export interface SimulatorOptions {
  /** Port to listen on; default: 0, any free one. */
  readonly port?: number;
  /** Address to listen on; default: `127.0.0.1`. */
  readonly host?: string;
  /** Keys that are accepted; default: any. */
  readonly apiKeys?: readonly string[];
  /** Accepts requests without a key, as local servers do; default: false. */
  readonly anonymous?: boolean;
  /** Names of the models, others are 404; default: any name. */
  readonly models?: readonly string[];
  /** Quirks of every answer, besides those of scripts; default: none. */
  readonly quirks?: readonly Quirk[];
  /** Tokens that fit into a prompt; default: no limit. */
  readonly contextWindow?: number;
  /** Tokens that a prefix of a prompt needs to be cached; default: 1,024, as on the services. */
  readonly cacheMinTokens?: number;
  /** Bytes of the largest request body, larger ones are 413; default: 67,108,864 (64 MiB). */
  readonly maxBodyBytes?: number;
  /** Newest requests that the log keeps; default: 1,000. */
  readonly maxRequests?: number;
  /**
   * Gives the directives or the text of the answer to a request, before those in its prompt count. Undefined leaves the
   * answer to the prompt. `attempt` is 1 for the first request with that body.
   */
  readonly script?: (conversation: Conversation, attempt: number) => string | undefined;
}
