/** Something that is wrong with the service at the moment, as health tells it. */
export interface Trouble {
  /** What is wrong, in words that stay: `disk-full`, `database-gone`, `audit-behind`. */
  readonly code: string;
  /** One sentence for who runs the service: what does not work, and what helps. It names no path, key or address. */
  readonly message: string;
  /** It lies with somebody whom the service asks: it is told, and the service is ready all the same. */
  readonly outside?: boolean;
}
