import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../open.ts';
import { tallyWriters, type WritersOptions } from '../processes/writers.ts';

describe('several processes that write one file', () => {
  it.each<WritersOptions>([
    { processes: 2, ms: 500, kills: 1 },
    { processes: 4, ms: 500, kills: 0 },
    { processes: 2, ms: 500, kills: 1, way: 'lasting' },
  ])(
    'lose no row that was acknowledged: $processes processes, $kills of them killed, $way',
    async (options) => {
      verifies('sql.acknowledged', 'sql.busy.begin-only');
      const tally = await tallyWriters(join(testFolder(), 'rows.db'), options);
      expect(tally.acknowledged).toBeGreaterThan(100);
      expect(tally.lost).toBe(0);
      expect(tally.integrity).toBe('ok');
    },
  );
});
