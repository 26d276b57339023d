import { verifies } from '@waymark/contract/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from './program.ts';

/** What one request costs, however loaded the machine is: all of it is counted. */
interface Cost {
  readonly answer: string;
  readonly promises: number;
  /** Of the heap, node's own among them: about 6,000 for a request without a body, 7,400 with one. */
  readonly bytes: number;
  /** Of functions of this repository, and how many of them: 170 with nothing in between but the door, parser and log. */
  readonly calls: number;
  readonly functions: number;
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
    ['static', { promises: 0, bytes: 13_500, calls: 196, functions: 177 }],
    ['summary', { promises: 0, bytes: 13_500, calls: 224, functions: 195 }],
    ['query', { promises: 0, bytes: 15_500, calls: 263, functions: 233 }],
    ['create', { promises: 2, bytes: 17_500, calls: 292, functions: 256 }],
    // The text of a message is looked through for numbers that would be rounded, too.
    ['initialize', { promises: 2, bytes: 26_000, calls: 460, functions: 329 }],
    ['discover', { promises: 2, bytes: 26_000, calls: 478, functions: 336 }],
  ])('takes no more promises, memory and code than it has to: %s', (name, most) => {
    verifies('http.cost.promises', 'http.cost.memory', 'http.cost.code');
    const { answer, promises, bytes, calls, functions } = costs[name] ?? nothing;
    expect(answer).toMatch(/ready|"max":40|"state":"open"|"isError":false/);
    expect(promises).toBeGreaterThanOrEqual(0);
    expect(promises).toBeLessThanOrEqual(most.promises);
    expect(bytes).toBeGreaterThan(4_000);
    expect(bytes).toBeLessThanOrEqual(most.bytes);
    expect(calls).toBeGreaterThanOrEqual(functions);
    expect(calls).toBeLessThanOrEqual(most.calls);
    expect(functions).toBeGreaterThan(100);
    expect(functions).toBeLessThanOrEqual(most.functions);
  });
});

const nothing: Cost = { answer: '', promises: -1, bytes: -1, calls: -1, functions: -1 };
