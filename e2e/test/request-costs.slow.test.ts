import { verifies } from '@waymark/contract/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from './program.ts';

/** What one request costs, however loaded the machine is: both are counted. */
interface Cost {
  readonly answer: string;
  readonly promises: number;
  /** Of the heap, node's own among them: about 6,000 for a request without a body, 7,400 with one. */
  readonly bytes: number;
}

let costs: Readonly<Record<string, Cost>>;
beforeAll(async () => {
  const program = startProgram('e2e/test/programs/request-costs.ts', { cwd: import.meta.dirname });
  const [, text = ''] = await program.saying(/^costs (.*)\n/m);
  costs = JSON.parse(text) as typeof costs;
  await program.ended();
});

describe('a request to an application with every default on', () => {
  it.each([
    ['static', { promises: 0, bytes: 13_500 }],
    ['summary', { promises: 0, bytes: 13_500 }],
    ['create', { promises: 2, bytes: 17_500 }],
    ['initialize', { promises: 2, bytes: 26_000 }],
    ['discover', { promises: 2, bytes: 26_000 }],
  ])('takes no more promises and memory than it has to: %s', (name, most) => {
    verifies('http.cost.promises', 'http.cost.memory');
    const { answer, promises, bytes } = costs[name] ?? { answer: '', promises: -1, bytes: -1 };
    expect(answer).toMatch(/ready|"max":40|"state":"open"|"isError":false/);
    expect(promises).toBeGreaterThanOrEqual(0);
    expect(promises).toBeLessThanOrEqual(most.promises);
    expect(bytes).toBeGreaterThan(4_000);
    expect(bytes).toBeLessThanOrEqual(most.bytes);
  });
});
