import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citations } from '../../e2e/cited-ids.ts';
import { tiersOf } from '../lib/tiers.ts';
import { takingTurns, turnNow, turnOf, turns, waitingFiles } from '../lib/turns.ts';
import { repositoryRoot } from '../lib/workspace.ts';

const root = repositoryRoot;
const taking = takingTurns(root);

describe('the turns of CI', () => {
  it('run each file in one of them, and those that take none in all', () => {
    expect(taking.length).toBeGreaterThan(50);
    const waits = Array.from({ length: turns }, (_, turn) => waitingFiles(root, turn, taking));
    for (const file of taking) expect(waits.filter((one) => one.includes(file))).toHaveLength(turns - 1);
    for (const one of waits) expect(one.every((file) => taking.includes(file))).toBe(true);
    expect(waitingFiles(root, undefined)).toEqual([]);
  });

  it('prove every requirement in each', () => {
    const left = [...citations(root)].filter(([, files]) =>
      files.every((file) => taking.includes(file) || tiersOf(file).includes('drills')),
    );
    expect(left.map(([id]) => id)).toEqual([]);
  });

  it('never leave out what strangers found, under the names that it has', () => {
    const found = [
      'clock-steps.e2e',
      'failure-flood.e2e',
      'hub-floods.slow.test',
      'mcp-peers.e2e',
      'mcp-peers-oauth.e2e',
    ];
    for (const name of [
      ...found,
      'noisy-neighbour.alone.e2e',
      'faults.alone.e2e',
      'authority-matrix.slow.test',
    ]) {
      expect(existsSync(join(root, `e2e/test/${name}.ts`)), name).toBe(true);
      expect(taking).not.toContain(`e2e/test/${name}.ts`);
    }
  });

  it.each([
    [`${'0'.repeat(40)}`, 0],
    [`00000004${'f'.repeat(32)}`, 1],
    [`ffffffff${'0'.repeat(32)}`, 0xffffffff % turns],
    ['', undefined],
    ['HEAD', undefined],
  ])('are those of a commit: %j', (commit, turn) => {
    expect(turnOf(commit)).toBe(turn);
  });

  it.each([
    ['0', 0],
    ['2', 2],
    ['3', undefined],
    ['all', undefined],
    [undefined, undefined],
  ])('are told by CI_TURN: %j', (told, turn) => {
    expect(turnNow({ CI_TURN: told })).toBe(turn);
  });
});
