import { describe, expect, it } from 'vitest';
import { shutDownUnderLoad } from '../test/shutdown-load.ts';

describe('SIGTERM under load', () => {
  it.each([
    { connections: 1000, depth: 1 },
    { connections: 250, depth: 4 },
    { connections: 50, depth: 20 },
  ])(
    'fails none of 10,000 requests under way, $depth at a time on $connections connections',
    async (load) => {
      // Those behind a last answer are left out: their clients know that nothing was begun for them.
      let judged = 0;
      for (let round = 1; judged < 10_000; round++) {
        const { underWay, turnedAway, sentInVain, failures, exitCode, exitMs } =
          await shutDownUnderLoad(load);
        judged += underWay - sentInVain;
        console.log(
          `round ${round}: ${underWay} under way, ${turnedAway} turned away, ${sentInVain} behind a last answer, gone after ${Math.round(exitMs)} ms`,
        );
        expect(failures).toEqual([]);
        expect(exitCode).toBe(0);
      }
    },
  );
});
