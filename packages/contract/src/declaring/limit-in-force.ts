/** Limit that holds, as the security report shows it: `{ name: 'request_timeout', value: 30, unit: 's' }`. */
export interface LimitInForce {
  /** Name in snake_case. */
  readonly name: string;
  /** Value in `unit`; `none` stands for a missing limit that should be set, and is warned about. */
  readonly value: number | 'none';
  readonly unit?: string;
  /** Whom or what it is for: `each caller`. */
  readonly note?: string;
}
