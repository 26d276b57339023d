import { describe, expect, it } from 'vitest';
import type { RunDetail } from '../browser/client/control.ts';
import { mergeRuns } from '../browser/pages/runs/merge-runs.ts';
import { createTimeScale } from '../browser/pages/runs/time-scale.ts';
import { busyOf, type Step, toTrace } from '../browser/pages/runs/trace.ts';

const row = (run_id: string, status = 'completed') => ({ run_id, status });

describe('mergeRuns', () => {
  it('takes the newest page as it is, and keeps what is older', () => {
    const known = [row('c', 'running'), row('b'), row('a')];
    expect(mergeRuns(known, [row('d'), row('c')], false)).toEqual([row('d'), row('c'), row('b'), row('a')]);
  });

  it('forgets what is not in a page that is all there is', () => {
    expect(mergeRuns([row('b'), row('a')], [row('b')], true)).toEqual([row('b')]);
    expect(mergeRuns([row('b')], [], true)).toEqual([]);
  });
});

describe('createTimeScale', () => {
  it('is even where something is done all the time', () => {
    const { at, folded } = createTimeScale({ fromMs: 100, untilMs: 300 }, [{ fromMs: 100, untilMs: 300 }]);
    expect(folded).toEqual([]);
    expect([100, 150, 200, 300, 0, 999].map(at)).toEqual([0, 0.25, 0.5, 1, 0, 1]);
  });

  it('folds a night of waiting, and keeps the order of all moments', () => {
    const night = 8 * 3_600_000;
    const whole = { fromMs: 0, untilMs: night + 2_000 };
    const { at, folded } = createTimeScale(whole, [
      { fromMs: 0, untilMs: 1_000 },
      { fromMs: night + 1_000, untilMs: night + 2_000 },
    ]);
    expect(folded).toEqual([{ fromMs: 1_000, untilMs: night + 1_000 }]);
    expect(at(1_000)).toBeCloseTo(0.47);
    expect(at(night + 1_000)).toBeCloseTo(0.53);
    const places = [0, 500, 1_000, night / 2, night, night + 1_500, night + 2_000].map(at);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.at(-1)).toBeCloseTo(1);
  });

  it('does not fold a pause that is shorter than two seconds', () => {
    const busy = [
      { fromMs: 0, untilMs: 10 },
      { fromMs: 1_900, untilMs: 1_910 },
    ];
    expect(createTimeScale({ fromMs: 0, untilMs: 1_910 }, busy).folded).toEqual([]);
  });
});

describe('toTrace', () => {
  const step = (seq: number, kind: string, at_ms: number, more: object = {}): Step => ({
    ...{ seq, kind, run_id: 'r', agent: 'a', at_ms, duration_ms: 10 },
    ...more,
  });
  const run = (
    name: string,
    created_at_ms: number,
    steps: readonly Step[],
    runs: readonly RunDetail[] = [],
  ) =>
    // What a trace looks at.
    ({
      run_id: name,
      name,
      status: 'running',
      created_at_ms,
      ended_at_ms: null,
      steps,
      runs,
    }) as unknown as RunDetail;

  it('lays out steps and runs below in the order in which they began', () => {
    const child = run('child', 25, [step(3, 'model', 30, { model: 'm' })]);
    const parent = run(
      'parent',
      0,
      [step(1, 'model', 5), step(4, 'tool_call', 20, { tool: 'child' })],
      [child],
    );
    expect(toTrace(parent, 100).map(({ depth, title }) => [depth, title])).toEqual([
      ...[
        [0, 'parent'],
        [1, 'model'],
        [1, 'child'],
        [1, 'child'],
        [2, 'm'],
      ],
    ]);
  });

  it('shows a question as one line: up to now, or as long as it took', () => {
    const asked = step(1, 'approval_requested', 10, { tool: 'refund', approval_id: 'q', duration_ms: 0 });
    const decided = step(2, 'approval_decided', 60, {
      ...{ tool: 'refund', approval_id: 'q', status: 'approved', duration_ms: 50 },
    });
    const [, open] = toTrace(run('r', 0, [asked]), 100);
    expect(open).toMatchObject({ kind: 'wait', fromMs: 10, untilMs: 100, open: true });
    const [, closed, ...more] = toTrace(run('r', 0, [asked, decided]), 100);
    expect(closed).toMatchObject({ kind: 'wait', fromMs: 10, untilMs: 60, open: false });
    expect(more).toEqual([]);
  });

  it('says what failed, and that neither runs nor waits are work', () => {
    const rows = toTrace(run('r', 0, [step(1, 'tool_call', 5, { tool: 't', error: 'no' })]), 100);
    expect(rows.map(({ failed }) => failed)).toEqual([false, true]);
    expect(busyOf(rows)).toHaveLength(1);
  });
});
