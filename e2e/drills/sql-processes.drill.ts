import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../test/started-desk.ts';
import { lookFor, type WritingOptions, writeThroughDesks } from '../test/write-through-desks.ts';

async function drill(options: WritingOptions) {
  const file = join(temporaryFolder(onTestFinished), 'app.db');
  const { acknowledged, ...rest } = await writeThroughDesks(file, options);
  const found = lookFor(file, acknowledged);
  console.log(JSON.stringify({ ...options, acknowledged: acknowledged.length, ...rest, ...found }));
  return { ...rest, acknowledged: acknowledged.length, found };
}

describe('servers that write one file', () => {
  it.each([2, 4])('lose nothing that %i of them acknowledged over HTTP', async (processes) => {
    const { acknowledged, odd, found } = await drill({ processes, ms: 20_000 });
    expect({ odd, found }).toEqual({ odd: [], found: { lost: 0, twice: 0, integrity: 'ok' } });
    expect(acknowledged).toBeGreaterThan(100);
  });

  it.each([1, 2])('lose nothing over 30 kills at random moments, %i at a time', async (processes) => {
    const { acknowledged, odd, killed, unknown, found } = await drill({ processes, ms: 60_000, kills: 30 });
    expect({ odd, killed, found }).toEqual({
      ...{ odd: [], killed: 30 },
      found: { lost: 0, twice: 0, integrity: 'ok' },
    });
    expect(acknowledged).toBeGreaterThan(100);
    // They were killed with work under way.
    expect(unknown).toBeGreaterThan(0);
  });
});
