import { callTool, createRouteTable, defineRoute } from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import { createDispatcher } from '@waymark/core-routes';
import { bestOfRounds, type Contestant } from '../lib/best-of-rounds.ts';
import type { Goal } from '../lib/goals.ts';
import { summary, summaryInput } from './api.ts';

const input = { id: 42, max: 40 };

/** A call as agents and MCP make it, by name and arguments, beside the handler that it ends in. */
export async function measureToolCall(rounds: number): Promise<Goal> {
  const route = defineRoute('GET', '/tickets/{id}/summary', { input: summaryInput, tool: true }, summary);
  const table = createRouteTable([route]).freeze();
  const dispatcher = createDispatcher(table);
  const call = { route, arguments: input, principal: anonymous(), via: 'mcp', requestId: '1' } as const;
  const best = await bestOfRounds(
    [timed('handler', async () => summary(input)), timed('tool call', () => callTool(dispatcher, call))],
    rounds,
  );
  const measured = (best.get('tool call') ?? Number.NaN) - (best.get('handler') ?? Number.NaN);
  return { name: 'tool-call-over-handler', measured, op: '<=', target: 3, unit: 'µs' };
}

const batches = 200;
const batchSize = 500;

/** The time of one use, microseconds, in the best of many batches that are too short to be interrupted. */
function timed(name: string, use: () => Promise<unknown>): Contestant {
  return {
    name,
    async measure() {
      let best = Number.POSITIVE_INFINITY;
      for (let batch = 0; batch < batches; batch++) {
        const startedMs = performance.now();
        for (let i = 0; i < batchSize; i++) await use();
        best = Math.min(best, performance.now() - startedMs);
      }
      return (best * 1000) / batchSize;
    },
  };
}
