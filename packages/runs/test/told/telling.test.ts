import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Progress, Values } from '@waymark/contract';
import type { Call } from '@waymark/contract/engine';
import type { RunOutcome } from '@waymark/contract/runs';
import type { OpRecord, RunPage, RunRecord } from '@waymark/contract/stores';
import { describe, expect, it } from 'vitest';
import { Feed } from '../../src/told/feed.ts';
import { Telling } from '../../src/told/telling.ts';

const root: RunRecord = {
  ...{ runId: 'r', rootId: 'r', parentId: null, call: null, idempotencyKey: null, inputHash: null },
  spec: { kind: 'agent', name: 'clerk', codeVersion: '1', scopes: [], tokenBudget: 100, maxSteps: null },
  principal: { id: 'desk', rootId: 'desk', authenticated: true, scopes: [] },
  ...{ depth: 0, status: 'waiting', output: null, error: null, createdMs: 0, endedMs: null },
};

function pageOf(status: RunRecord['status'], lastOrd: number): RunPage {
  const ops = Array.from({ length: lastOrd }, (_, i): OpRecord & RunPage['ops'][number] => ({
    ...{ runId: 'r', seq: i, kind: 'context', name: 'x', input: null, fingerprint: 'f', value: null },
    ...{ state: 'done', ord: i + 1, treeTokens: 0, startedMs: 0, endedMs: 0, spend: [], agent: 'clerk' },
  }));
  return { root: { ...root, status }, lastOrd, ops, approvals: [] };
}

// Nobody looks into it here.
const outcome = { runId: 'r', status: 'completed' } as Values as unknown as RunOutcome<null>;

describe('telling whoever started a root, or the same one again', () => {
  it('goes on behind a wait that was over before the outcome was there', async () => {
    let page = pageOf('waiting', 2);
    let hear = (): void => {};
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const told: Progress[] = [];
    const feed = new Feed();
    const observe = (event: Progress): void => {
      told.push(event);
      if (event.id === 'r/2') hear();
    };
    // Nothing else of the call is looked at.
    const call = { observe } as Partial<Call> as Call & Required<Pick<Call, 'observe'>>;
    const telling = new Telling(call, { feed, log: () => {} }, () => ({ feed, page: async () => page }));
    // It was begun by the same key before, and another process executes it.
    const got = await telling.through(async ({ onRun }) => {
      onRun?.('r');
      await heard;
      await nextTurn();
      page = pageOf('completed', 4);
      return outcome;
    });
    expect(got).toBe(outcome);
    expect(told.map(({ event, id }) => id ?? event)).toEqual(['run', 'r/1', 'r/2', 'r/3', 'r/4']);
    expect(feed.size).toBe(0);
  });
});
