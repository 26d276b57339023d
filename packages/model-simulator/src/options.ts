import type { Quirk } from './quirks.ts';
import type { Conversation } from './request/conversation.ts';

/** What a simulator is started with. */
export interface SimulatorOptions {
  /** 0 takes a free one; the default. */
  readonly port?: number;
  /** The address to listen on, `127.0.0.1` by default. */
  readonly host?: string;
  /** Keys that are accepted; any key is by default. */
  readonly apiKeys?: readonly string[];
  /** Accepts requests without a key, as local servers do. False by default. */
  readonly anonymous?: boolean;
  /** The models there are, others are 404; any by default. */
  readonly models?: readonly string[];
  /** Quirks of every answer, beside those of scripts. None by default. */
  readonly quirks?: readonly Quirk[];
  /** Tokens that fit into a prompt; any number by default. */
  readonly contextWindow?: number;
  /** Tokens that a prefix of a prompt has at least to be cached, 1024 by default, as on the services. */
  readonly cacheMinTokens?: number;
  /** Bytes of a request body, 64 MiB by default; more is 413. */
  readonly maxBodyBytes?: number;
  /** Requests that the log keeps, 1000 by default. */
  readonly maxRequests?: number;
  /**
   * Decides over a request before its prompt does: a text with directives, or a text to say. Undefined leaves it to
   * the prompt.
   */
  readonly script?: (conversation: Conversation, attempt: number) => string | undefined;
}
