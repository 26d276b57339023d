import type { Json } from '../engine/json.ts';

/** One webhook message that must arrive. Where it goes, and what it is signed with, is read from today's declaration. */
export type Delivery = {
  /** The same over all attempts, `webhook-id`; an outbox takes each once. */
  readonly id: string;
  /** The name of a `WebhookEndpoint`. */
  readonly endpoint: string;
  readonly body: Json;
};

/** A place that webhook messages go to, as it is declared. Its URL may hold secrets: listings show the host. */
export interface WebhookEndpoint {
  /** Unique: `watcher:yard`. */
  readonly name: string;
  readonly url: string;
  /** Name of the variable with its signing secrets; without it messages are not signed. */
  readonly secretEnv?: string;
  /** Name of the variable with its bearer token. */
  readonly bearerEnv?: string;
}
