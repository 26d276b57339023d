import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { shutDownUnderLoad } from './shutdown-load.ts';

// Beside other tests the clients would be starved, and be late for a server that waits as long as it says.
describe('SIGTERM under load', () => {
  it.each([
    { connections: 1000, depth: 1 },
    { connections: 200, depth: 5 },
    { connections: 200, depth: 5, middleware: true as const },
  ])('fails none of 1,000 requests: %j', async (load) => {
    verifies('http.shutdown.in-flight', 'http.shutdown.new-requests', 'http.shutdown.exit');
    const outcome = await shutDownUnderLoad(load);
    expect(outcome.failures).toEqual([]);
    expect(outcome.underWay).toBeGreaterThanOrEqual(999);
    expect(outcome.turnedAway).toBeGreaterThan(0);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.exitMs).toBeLessThan(5000);
  });
});
