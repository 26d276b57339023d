import { expect, it } from 'vitest';
import { touchMs } from '../lib/touch-ms.ts';

it('is a time that 8,192 pages can take', () => {
  const ms = touchMs();
  // A tenth of a microsecond for each is less than any kernel needs; 60 of them would end no test in time.
  expect(ms).toBeGreaterThan(0.8);
  expect(ms).toBeLessThan(500);
});
