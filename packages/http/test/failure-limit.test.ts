import { describe, expect, it } from 'vitest';
import { FailureLimit } from '../src/failure-limit.ts';

const here = { addressKey: '192.0.2.1' };
const there = { addressKey: '192.0.2.2' };

describe('FailureLimit', () => {
  it('lets 200 failures through at once and 20 a second unless told otherwise', () => {
    let nowMs = 0;
    const limit = new FailureLimit({}, () => nowMs);
    for (let i = 0; i < 200; i++) expect(limit.replacement(i % 2 ? 401 : 404, here)).toBeUndefined();
    expect(limit.replacement(404, here)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(limit.replacement(404, there)).toBeUndefined();
    nowMs = 1000;
    const later = Array.from({ length: 21 }, () => limit.replacement(401, here)?.status);
    expect(later.filter((status) => status === undefined)).toHaveLength(20);
  });

  it('counts no other answers', () => {
    const limit = new FailureLimit({ perSecond: 1, burst: 1 }, () => 0);
    for (const status of [200, 204, 304, 400, 403, 405, 422, 429, 500]) {
      limit.replacement(status, here);
      limit.replacement(status, here);
    }
    expect(limit.replacement(401, here)).toBeUndefined();
    expect(limit.replacement(200, here)).toBeUndefined();
  });

  it('refuses credentials after as many wrong ones, until time has passed', () => {
    let nowMs = 0;
    const limit = new FailureLimit({ perSecond: 0.1, burst: 2 }, () => nowMs);
    for (let i = 0; i < 2; i++) {
      expect(limit.refusal(here)).toBeUndefined();
      limit.wrongCredential(here);
    }
    expect(limit.refusal(here)).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
    expect(limit.refusal(there)).toBeUndefined();
    nowMs = 9999;
    expect(limit.refusal(here)).toMatchObject({ status: 429 });
    nowMs = 10_000;
    expect(limit.refusal(here)).toBeUndefined();
  });

  it('does not refuse credentials for pages that were not found', () => {
    const limit = new FailureLimit({ perSecond: 1, burst: 1 }, () => 0);
    limit.replacement(404, here);
    expect(limit.replacement(404, here)?.status).toBe(429);
    expect(limit.refusal(here)).toBeUndefined();
  });
});
