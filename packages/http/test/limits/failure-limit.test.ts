import { problemResponse } from '@waymark/contract/engine';
import { describe, expect, it } from 'vitest';
import { FailureLimit } from '../../src/limits/failure-limit.ts';

const here = { addressKey: '192.0.2.1' };
const there = { addressKey: '192.0.2.2' };
const failure = problemResponse(404, 'nothing is served at this path');

describe('FailureLimit', () => {
  it('lets 200 failures through at once and 20 a second unless told otherwise', () => {
    let nowMs = 0;
    const limit = new FailureLimit({}, () => nowMs);
    for (let i = 0; i < 200; i++) expect(limit.charge(here, failure)).toBe(failure);
    expect(limit.charge(here, failure)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(limit.charge(there, failure)).toBe(failure);
    nowMs = 1000;
    const later = Array.from({ length: 21 }, () => limit.charge(here, failure).status);
    expect(later).toEqual([...Array.from({ length: 20 }, () => 404), 429]);
  });

  it('says when the next failure is let through', () => {
    let nowMs = 0;
    const limit = new FailureLimit({ perSecond: 0.1, burst: 1 }, () => nowMs);
    limit.charge(here, failure);
    expect(limit.charge(here, failure).headers['retry-after']).toBe('10');
    nowMs = 9999;
    expect(limit.charge(here, failure).status).toBe(429);
    nowMs = 10_000;
    expect(limit.charge(here, failure)).toBe(failure);
  });
});
