import { BudgetExhausted } from '@waymark/contract/runs';

/** Tokens of one run and everything below it. */
export class TokenCounter {
  readonly limit: number | null;
  used: number;
  reserved = 0;

  constructor(limit: number | null, used: number) {
    this.limit = limit;
    this.used = used;
  }

  get room(): number {
    return this.limit === null ? Number.POSITIVE_INFINITY : this.limit - this.used - this.reserved;
  }
}

/** Tokens held for one model call. */
export interface Reservation {
  /** The most the answer may use; null is unlimited. */
  readonly grantedTokens: number | null;
  /** Gives them back, and counts what was really used; the second time nothing happens. @param used unknown: the estimate */
  settle(used: number | undefined): void;
}

/** Tokens that a model call asks for. */
export interface TokenRequest {
  /** Of the question. */
  readonly estimate: number;
  /** Of the answer. */
  readonly maxTokens: number;
}

interface Waiting {
  readonly chain: readonly TokenCounter[];
  readonly request: TokenRequest;
  readonly resolve: (reservation: Reservation) => void;
  readonly reject: (error: BudgetExhausted) => void;
}

/** An answer with less room than this is not worth its question. */
const leastTokens = 256;

/**
 * The budgets of one tree, in memory: a model call reserves in all counters from its run to the root, in one queue.
 * Numbers that were recorded count as used from the start; a replayed step reserves nothing.
 */
export class TokenBudget {
  readonly #queue: Waiting[] = [];

  /** @throws {BudgetExhausted} */
  reserve(chain: readonly TokenCounter[], request: TokenRequest): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ chain, request, resolve, reject });
      this.#serve();
    });
  }

  /** First come, first served: whoever waits for a settle keeps those behind it waiting, or it might wait for ever. */
  #serve(): void {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const granted = toGrant(first.chain, first.request);
      if (granted === 'wait') return;
      this.#queue.shift();
      if (granted === 'exhausted') first.reject(new BudgetExhausted('the token budget is used up'));
      else first.resolve(this.#hold(first.chain, first.request.estimate, granted));
    }
  }

  #hold(chain: readonly TokenCounter[], estimate: number, granted: number | null): Reservation {
    const amount = granted === null ? 0 : estimate + granted;
    for (const counter of chain) counter.reserved += amount;
    let settled = false;
    return {
      grantedTokens: granted,
      settle: (used = estimate) => {
        if (settled) return;
        settled = true;
        for (const counter of chain) {
          counter.reserved -= amount;
          counter.used += used;
        }
        this.#serve();
      },
    };
  }
}

function toGrant(
  chain: readonly TokenCounter[],
  { estimate, maxTokens }: TokenRequest,
): number | null | 'wait' | 'exhausted' {
  const limited = chain.filter(({ limit }) => limit !== null);
  if (limited.length === 0) return null;
  const room = Math.min(...limited.map((counter) => counter.room)) - estimate;
  if (room >= maxTokens) return maxTokens;
  // An answer is not cut short because a neighbour reserves more than it will use.
  if (limited.some(({ reserved }) => reserved > 0)) return 'wait';
  return room >= Math.min(leastTokens, maxTokens) && room > 0 ? room : 'exhausted';
}
