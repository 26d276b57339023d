import { describe, expect, it } from 'vitest';
import { isLastingOutage } from '../../src/engine/index.ts';
import { HTTPError } from '../../src/index.ts';

describe('isLastingOutage', () => {
  it.each(['disk_full', 'disk_failing', 'database_gone'])('knows a store that refuses with %s', (code) => {
    expect(isLastingOutage(new HTTPError(503, 'the database is full', { code }))).toBe(true);
  });

  it.each([
    new HTTPError(503, 'the database is busy'),
    new HTTPError(503, 'the run goes on', { code: 'other' }),
    Object.assign(new Error('full'), { members: { code: 'disk_full' } }),
    undefined,
  ])('knows that %s passes by itself, or is something else', (error) => {
    expect(isLastingOutage(error)).toBe(false);
  });
});
