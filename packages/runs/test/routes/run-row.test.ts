import type { ListedRun, RunRecord } from '@waymark/contract/stores';
import { runRecord } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { toFilter, toRunRow } from '../../src/routes/run-row.ts';
import { shownStatuses } from '../../src/routes/run-schemas.ts';

const stored: readonly RunRecord['status'][] = [
  ...(['running', 'ready', 'waiting', 'completed', 'halted', 'max_tokens'] as const),
  ...(['step_limit', 'budget_exhausted', 'failed', 'cancelled'] as const),
];
const totals = { steps: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 };
const listed: readonly ListedRun[] = stored.flatMap((status): readonly ListedRun[] => {
  const waits = status === 'waiting' ? (['awaiting_approval', 'waiting_provider'] as const) : [null];
  return waits.map((waitsFor) => ({ ...runRecord('r1'), status, waitsFor, totals }));
});

it.each(shownStatuses)(
  'a list of runs with the status %s holds the rows that say so, and no others',
  (shown) => {
    const { statuses, waitsFor } = toFilter(shown);
    const found = listed.filter(
      (run) => statuses?.includes(run.status) && (waitsFor === undefined || run.waitsFor === waitsFor),
    );
    expect(found).toEqual(listed.filter((run) => toRunRow(run)['status'] === shown));
    expect(found).not.toEqual([]);
  },
);
