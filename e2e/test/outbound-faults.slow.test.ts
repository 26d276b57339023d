import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { everyLine } from './outbound-faults/lines.ts';
import { playLines } from './outbound-faults/play-lines.ts';

// Side by side: it takes as long as a receiver that keeps silent, and 3 s of the processor.
it('the nth request to the outside fails, for every n, and hangs nobody and loses nothing in silence', async () => {
  verifies('outbound.faults');
  const plans = everyLine();
  const { faults, failed, health } = await playLines(plans);
  expect(faults).toEqual([]);
  expect(failed).toEqual(plans.filter(({ nth }) => nth > 0).map(({ name }) => name));
  // It depends on nobody outside.
  expect(health).toEqual(['200']);
});
