import type { Insight } from '@waymark/contract/hub';
import type { RunReading } from './read-answer.ts';
import type { WatchMemo } from './watch-memo.ts';

/** What a watcher publishes of a run. @param runId empty where there was none: the agent refused what it was given */
export function toInsight(
  { watcher, device, agent, seq }: WatchMemo,
  reading: RunReading,
  runId: string,
  atMs: number,
): Insight {
  const { status, output, error, tokens, costMicros } = reading;
  return {
    type: 'insight',
    ...{ watcher, device, agent, seq, status, output, error },
    run_id: runId,
    tokens,
    cost_micros: costMicros,
    at_ms: atMs,
  };
}
