import { join } from 'node:path';
import { byTier, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../open.ts';
import { tallyWriters, type WritersOptions } from '../processes/writers.ts';

const ms = byTier({ quick: 200, slow: 200, drill: 500 });

describe('several processes that write one file', () => {
  const all: readonly WritersOptions[] = [
    { processes: 2, ms, kills: 1 },
    { processes: 2, ms, kills: 1, way: 'lasting' },
    { processes: 4, ms, kills: 0 },
  ];
  it.each(all.slice(0, byTier({ quick: 2, slow: 2, drill: 3 })))(
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
