/** Limits of a `sqlOutbox`. */
export interface SqlOutboxOptions {
  /** Deliveries that are not delivered, 1 or more. Default: 10,000. */
  readonly keep?: number;
  /** Those of one endpoint, 1 or more. Default: 1,000. */
  readonly keepPerEndpoint?: number;
  /** Delivered ones of one endpoint, whose ids are not taken again. Default: 100. */
  readonly keepDelivered?: number;
}

/** How much an outbox holds of what is not delivered. @internal */
export function limitsOf({ keep = 10_000, keepPerEndpoint = 1_000 }: SqlOutboxOptions): {
  readonly keep: number;
  readonly keepPerEndpoint: number;
} {
  return { keep, keepPerEndpoint };
}
