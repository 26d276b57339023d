import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { everyLine, groups } from './outbound-faults/lines.ts';
import { playLines } from './outbound-faults/play-lines.ts';

// Side by side: it takes as long as a receiver that keeps silent.
it.concurrent.each(groups)(
  'the nth request to the outside fails, for every n (%s and %s): it hangs nobody, loses nothing in silence, and health names whom',
  async (...failures) => {
    verifies('outbound.faults', 'health.outside', 'health.outside.public', 'health.ready');
    const plans = everyLine(failures);
    const { faults, failed } = await playLines(plans);
    expect(faults).toEqual([]);
    expect(failed).toEqual(plans.filter(({ nth }) => nth > 0).map(({ name }) => name));
  },
);
