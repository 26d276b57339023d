import { BudgetExhausted } from '@waymark/contract/runs';
import { describe, expect, it } from 'vitest';
import { TokenBudget, TokenCounter } from '../../src/budget/token-budget.ts';

const ask = (estimate: number, maxTokens: number) => ({ estimate, maxTokens });

describe('TokenBudget', () => {
  it('grants what is asked where there is no limit, and counts what is used', async () => {
    const counter = new TokenCounter(null, 5);
    const reservation = await new TokenBudget().reserve([counter], ask(10, 100));
    expect(reservation.grantedTokens).toBeNull();
    reservation.settle(42);
    expect(counter.used).toBe(47);
  });

  it('reserves question and answer in all counters up the chain', async () => {
    const [own, root] = [new TokenCounter(null, 0), new TokenCounter(1_000, 0)];
    const reservation = await new TokenBudget().reserve([own, root], ask(10, 300));
    expect(reservation.grantedTokens).toBe(300);
    expect([own.reserved, root.reserved]).toEqual([310, 310]);
    reservation.settle(50);
    reservation.settle(50);
    expect([own, root].map(({ used, reserved }) => [used, reserved])).toEqual([
      [50, 0],
      [50, 0],
    ]);
  });

  it.each([
    ['all of it, when it just fits', 410, 300, 300],
    ['the rest, when less is left', 409, 300, 299],
    ['256, the least for a long answer', 366, 300, 256],
    ['a short answer whole', 120, 10, 10],
  ])('grants %s', async (_, limit, maxTokens, granted) => {
    const counter = new TokenCounter(limit, 100);
    const { grantedTokens } = await new TokenBudget().reserve([counter], ask(10, maxTokens));
    expect(grantedTokens).toBe(granted);
  });

  it.each([
    ['under 256 for a long answer', 365, 300],
    ['no room for a short one', 119, 10],
    ['0 left, which is not none', 100, 10],
  ])('is used up: %s', async (_, limit, maxTokens) => {
    const counter = new TokenCounter(limit, 100);
    await expect(new TokenBudget().reserve([counter], ask(10, maxTokens))).rejects.toBeInstanceOf(
      BudgetExhausted,
    );
  });

  it('lets a neighbour settle before it cuts an answer short', async () => {
    const counter = new TokenCounter(1_000, 0);
    const budget = new TokenBudget();
    const first = await budget.reserve([counter], ask(0, 800));
    let second: number | null | undefined;
    const waiting = budget.reserve([counter], ask(0, 800)).then(({ grantedTokens }) => {
      second = grantedTokens;
    });
    await Promise.resolve();
    expect(second).toBeUndefined();
    first.settle(100);
    await waiting;
    expect(second).toBe(800);
  });

  it('counts the estimate when nobody says what was used', async () => {
    const counter = new TokenCounter(1_000, 0);
    (await new TokenBudget().reserve([counter], ask(70, 100))).settle(undefined);
    expect(counter.used).toBe(70);
  });

  it('serves in the order of asking', async () => {
    const counter = new TokenCounter(1_000, 0);
    const budget = new TokenBudget();
    const first = await budget.reserve([counter], ask(0, 900));
    const order: string[] = [];
    const large = budget.reserve([counter], ask(0, 500)).then((one) => {
      order.push('large');
      one.settle(0);
    });
    const small = budget.reserve([counter], ask(0, 10)).then(() => order.push('small'));
    first.settle(0);
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
  });

  it('is never overspent by 1,000 random trees, and comes to an end in each', async () => {
    const random = randoms(11);
    for (let tree = 0; tree < 1_000; tree++) {
      const budget = new TokenBudget();
      const root = new TokenCounter(Math.floor(random() * 5_000), 0);
      const chains = [[root]];
      for (let i = 0; i < 4; i++) {
        const above = chains[Math.floor(random() * chains.length)] ?? [root];
        const limit = random() < 0.5 ? null : Math.floor(random() * 2_000);
        chains.push([new TokenCounter(limit, 0), ...above]);
      }
      const calls = Array.from({ length: 20 }, async () => {
        const chain = chains[Math.floor(random() * chains.length)] ?? [root];
        const estimate = Math.floor(random() * 50);
        const uses = random();
        try {
          const { grantedTokens, settle } = await budget.reserve(
            chain,
            ask(estimate, 1 + Math.floor(random() * 600)),
          );
          await new Promise((resolve) => setImmediate(resolve));
          // A provider never gives more than it was allowed; the question costs what was estimated.
          settle(estimate + Math.floor(uses * (grantedTokens ?? 600)));
        } catch (error) {
          expect(error).toBeInstanceOf(BudgetExhausted);
        }
      });
      await Promise.all(calls);
      for (const { used, reserved, limit } of chains.flat()) {
        expect(reserved).toBe(0);
        if (limit !== null) expect(used).toBeLessThanOrEqual(limit);
      }
    }
  });
});

function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
