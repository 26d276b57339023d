import { describe, expect, it } from 'vitest';
import { toEventId, toRunPlace } from '../../src/runs/event-id.ts';

describe('the id of an event', () => {
  it.each([
    ['r1/0', { runId: 'r1', seq: 0, ended: false }],
    ['r1/12', { runId: 'r1', seq: 12, ended: false }],
    ['r1/12/end', { runId: 'r1', seq: 12, ended: true }],
  ])('is a place in a run: %s', (id, place) => {
    expect(toEventId(place)).toBe(id);
    expect(toRunPlace(id, 'r1')).toEqual(place);
  });

  it('may be a number alone', () => {
    expect(toRunPlace('7', 'r1')).toEqual({ runId: 'r1', seq: 7, ended: false });
  });

  it.each([
    ...['r2/7', 'r1.1/7', 'r11/7', '7/end', '', '/7', '1'.repeat(16)],
    ...['r1', 'r1/', 'r1/x', 'r1/-1', 'r1/7/', 'r1/7/ended'],
  ])('says nothing of a run when it is none of its own: %j', (id) => {
    expect(toRunPlace(id, 'r1')).toBeUndefined();
  });
});
