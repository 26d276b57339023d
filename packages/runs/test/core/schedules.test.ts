import { describe, expect, it } from 'vitest';
import { runSchedules } from './schedule.ts';

const schedules = 20_000;

/** `CORE_SEED` draws others; `e2e/drills/core.drill.ts` takes a million. */
const firstSeed = schedules * Number(process.env['CORE_SEED'] ?? 0);

describe('random programs under random schedules', () => {
  it('break no rule of the core, whatever happens in whatever order', () => {
    const counts = runSchedules(firstSeed, schedules);
    // Each thing that may happen did.
    for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(100);
  });
});
