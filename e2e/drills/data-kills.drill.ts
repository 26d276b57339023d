import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const script = join(import.meta.dirname, '../../packages/data/test/processes/tally.ts');

interface Tally {
  readonly acknowledged: number;
  readonly lost: number;
  readonly integrity: string;
  readonly killed: number;
}

function tally(options: object): Tally {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-kills-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const args = ['--conditions=@waymark/source', script, join(folder, 'rows.db'), JSON.stringify(options)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const result = JSON.parse(stdout) as Tally;
  console.log(JSON.stringify({ ...options, ...result }));
  return result;
}

describe('processes that write one file', () => {
  it.each([
    [2, 'careful'],
    [4, 'careful'],
    [2, 'lasting'],
    [4, 'lasting'],
  ])('lose no acknowledged row over 50 kills, %i at a time, %s', (processes, way) => {
    // Ten rounds, so that one file does not hold millions of rows.
    for (let round = 1; round <= 10; round++) {
      const { acknowledged, lost, integrity, killed } = tally({ processes, ms: 2_500, kills: 5, way });
      expect({ lost, integrity, killed }).toEqual({ lost: 0, integrity: 'ok', killed: 5 });
      expect(acknowledged).toBeGreaterThan(1_000);
    }
  });

  it('would be caught losing them: one that tells before it has stored does', () => {
    const { acknowledged, lost } = tally({ processes: 2, ms: 3_000, kills: 4, way: 'careless' });
    expect(acknowledged).toBeGreaterThan(0);
    expect(lost).toBeGreaterThan(0);
  });
});
