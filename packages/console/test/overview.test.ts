import { describe, expect, it } from 'vitest';
import type { SpendCell } from '../browser/client/control.ts';
import { toEventLine } from '../browser/pages/overview/event-line.ts';
import { countByStatus, toHours } from '../browser/pages/overview/figures.ts';

describe('an event of the audit log', () => {
  const event = (kind: string, members: object) => ({ id: 'e', at_ms: 0, kind, ...members });

  it.each([
    ['tool_called', { principal: 'ada', route: 'refund', via: 'mcp', status: 503, duration_ms: 12 }, 'bad'],
    ['tool_called', { principal: 'ada', route: 'refund', via: 'mcp', status: 403, duration_ms: 1 }, 'warn'],
    ['run_finished', { name: 'support', status: 'failed' }, 'bad'],
    ['approval_requested', { tool: 'refund' }, 'warn'],
    ['session_opened', { principal: 'ada' }, 'idle'],
  ])('%s %j is %s', (kind, members, tone) => {
    const line = toEventLine(event(kind, members));
    expect(line.tone).toBe(tone);
    expect(line.text).not.toMatch(/undefined|\{/);
  });

  it('of a kind that nobody knows is told by its members, cut', () => {
    const { text } = toEventLine(event('moon_rose', { how: 'x'.repeat(500) }));
    expect(text).toMatch(/^moon rose \{"how":"x+…$/);
    expect(text.length).toBeLessThan(130);
  });
});

describe('figures', () => {
  it('leave out statuses that no run has, and put the most first', () => {
    const none = { running: 0, waiting: 0, completed: 0, halted: 0, max_tokens: 0, step_limit: 0 };
    expect(countByStatus({ ...none, budget_exhausted: 0, failed: 2, cancelled: 9 })).toEqual([
      ['cancelled', 9],
      ['failed', 2],
    ]);
  });

  it('have each of the last hours, with what all callers and models used in it', () => {
    const cell = (time: string, tokens: number): SpendCell => ({
      ...{ time, caller: 'a', model: 'm', calls: 1, input_tokens: tokens, output_tokens: 1 },
      ...{ cache_read_tokens: 0, cache_write_tokens: 0, cost_usd: null },
    });
    const cells = [
      cell('2026-03-01T12:00:00Z', 10),
      cell('2026-03-01T12:00:00Z', 5),
      cell('2026-03-01T10:00:00Z', 1),
    ];
    const now = Date.UTC(2026, 2, 1, 12, 40);
    expect(toHours(cells, now, 3)).toEqual({
      times: [10, 11, 12].map((hour) => Date.UTC(2026, 2, 1, hour) / 1_000),
      tokens: [2, 0, 17],
    });
  });
});
