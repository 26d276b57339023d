import type { Insight } from '@waymark/contract/hub';
import type { RunReading } from './read-answer.ts';
import type { WatchMemo } from './watch-memo.ts';

/**
 * Characters of an answer that an insight has at most: whoever comes in is sent the newest 32 of a device, read or not. The run
 * has the whole.
 */
export const maxOutputLength = 65_536;

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
    ...{ watcher, device, agent, seq, status, error },
    output: cut(output),
    run_id: runId,
    tokens,
    cost_micros: costMicros,
    at_ms: atMs,
  };
}

function cut(text: string): string {
  if (text.length <= maxOutputLength) return text;
  const end = maxOutputLength - 1;
  // The first half of a character goes with its second.
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}
