import { auditKinds } from '@waymark/contract/stores';
import { describe, expect, it } from 'vitest';
import {
  hasGap,
  isFiltered,
  knownKinds,
  mergeEvents,
  mostHeld,
  toAuditFilter,
  toAuditQuestion,
} from '../browser/pages/audit/audit-filter.ts';
import { timeOfId } from '../browser/pages/audit/time-of-id.ts';

const events = (...ids: readonly string[]) => ids.map((id) => ({ id }));

describe('the log', () => {
  it('is asked for what the address says, and for nothing else', () => {
    const filter = toAuditFilter({ kind: 'insight', run: 'r', span: 'hour', q: 'x' });
    expect(toAuditQuestion(filter, 3_600_005)).toEqual({ kind: 'insight', run_id: 'r', since_ms: 5 });
    expect(isFiltered(filter)).toBe(true);
    const none = toAuditFilter({ span: 'forever' });
    expect([toAuditQuestion(none, 0), isFiltered(none)]).toEqual([{}, false]);
  });

  it('can be asked for every kind that a service writes', () => {
    expect(knownKinds).toEqual(auditKinds);
  });

  it('is held newest first, and each event once', () => {
    const held = mergeEvents(events('c', 'a'), events('b', 'c', 'd'));
    expect(held).toEqual(events('d', 'c', 'b', 'a'));
    expect(mergeEvents(held, events('d', 'a'))).toBe(held);
  });

  it.each([mostHeld - 1, mostHeld, mostHeld + 1])('holds no more than it may: %i', (count) => {
    const many = events(...Array.from({ length: count }, (_, i) => String(i).padStart(6, '0')));
    expect(mergeEvents([], many)).toHaveLength(Math.min(count, mostHeld));
    expect(mergeEvents([], many)[0]?.id).toBe(many.at(-1)?.id);
  });

  it('knows when it was away for more than a page', () => {
    expect(hasGap(events('a'), events('c', 'b'), 2)).toBe(true);
    expect(hasGap(events('b'), events('c', 'b'), 2)).toBe(false);
    expect(hasGap(events('a'), events('b'), 2)).toBe(false);
    expect(hasGap([], events('c', 'b'), 2)).toBe(false);
  });

  it('reads the moment in an id, and none in what is no id', () => {
    expect(timeOfId('01M8D47R0H8RRGK239WP9SJG4F')).toBe(1_795_736_985_617);
    expect([timeOfId('01M8'), timeOfId('<script>'), timeOfId('Z'.repeat(26))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
