import { randomBytes } from 'node:crypto';
import type { Credentials } from '@waymark/contract/principal';

/** How long a code is good for. */
const lastsMs = 60_000;
/** Codes that are good at the same time: nobody opens more pages at once, and the oldest one goes. */
const mostCodes = 32;

/**
 * Codes that stand for a credential, once and for a minute: a link with one signs a browser in and leaves no key in its
 * history. They are of this process alone.
 */
export class SignInCodes {
  readonly #monotonic: () => number;
  readonly #codes = new Map<string, { readonly credentials: Credentials; readonly untilMs: number }>();

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  issue(credentials: Credentials): { readonly code: string; readonly lastsMs: number } {
    const [oldest] = this.#codes.keys();
    if (oldest !== undefined && this.#codes.size >= mostCodes) this.#codes.delete(oldest);
    // 128 bits: nobody guesses one in its minute.
    const code = randomBytes(16).toString('base64url');
    this.#codes.set(code, { credentials, untilMs: this.#monotonic() + lastsMs });
    return { code, lastsMs };
  }

  /** What a code stands for; it is no code any more then. */
  redeem(code: string): Credentials | undefined {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    return found && this.#monotonic() < found.untilMs ? found.credentials : undefined;
  }
}
