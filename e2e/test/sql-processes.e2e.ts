import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './started-desk.ts';
import { lookFor, writeThroughDesks } from './write-through-desks.ts';

describe('several servers over one file', () => {
  it.each([
    { processes: 2, ms: 3_000 },
    { processes: 2, ms: 2_000, kills: 3 },
  ])('keep every row that they acknowledged: %j', async (options) => {
    verifies('sql.acknowledged', 'sql.tables-once');
    const file = join(temporaryFolder(onTestFinished), 'app.db');
    const { acknowledged, odd, killed } = await writeThroughDesks(file, options);
    expect({ odd, killed }).toEqual({ odd: [], killed: options.kills ?? 0 });
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(lookFor(file, acknowledged)).toEqual({ lost: 0, twice: 0, integrity: 'ok' });
    // A row that nobody wrote is missed.
    expect(lookFor(file, [...acknowledged, 'never written'])).toMatchObject({ lost: 1 });
  });
});
