// Which test files take turns in CI. What no run has to prove by itself is run by every third: all of it with
// `CI_TURN=all .ci/run`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { citedIds } from '../../e2e/cited-ids.ts';
import { type Tier, testFiles, tiersOf } from './tiers.ts';

/** Runs of CI in which each file is run once. */
export const turns = 3;

/** Tiers of files that take turns, the dearest first: of two that prove the same, the first may wait. */
const dear: readonly Tier[] = ['e2e', 'alone', 'slow'];

/** In every run, whatever else proves the same: what strangers have stopped the service with, and who they connect with. */
const always = [
  'e2e/test/clock-steps.e2e.ts',
  'e2e/test/failure-flood.e2e.ts',
  'e2e/test/hub-floods.slow.test.ts',
  'e2e/test/mcp-peers-oauth.e2e.ts',
  'e2e/test/mcp-peers.e2e.ts',
] as const;

/**
 * The files that take turns: those of the dear tiers that prove no requirement which is not proved without them, too. Every
 * requirement is proved in every run.
 */
export function takingTurns(root: string): readonly string[] {
  const cited = new Map(
    testFiles(root)
      .filter((path) => !tiersOf(path).includes('drills'))
      .map((path) => [path, new Set(citedIds(path, readFileSync(join(root, path), 'utf8')))]),
  );
  const provers = new Map<string, number>();
  for (const ids of cited.values()) for (const id of ids) provers.set(id, (provers.get(id) ?? 0) + 1);
  return dear
    .flatMap((tier) => [...cited].filter(([path]) => tiersOf(path).includes(tier)))
    .flatMap(([path, ids]) => {
      const isAlone = [...ids].some((id) => provers.get(id) === 1);
      if (isAlone || (always as readonly string[]).includes(path)) return [];
      for (const id of ids) provers.set(id, (provers.get(id) ?? 0) - 1);
      return [path];
    });
}

/** The files that wait for another turn. @param turn from 0; undefined: none waits */
export function waitingFiles(
  root: string,
  turn: number | undefined,
  taking = turn === undefined ? [] : takingTurns(root),
): readonly string[] {
  return turn === undefined ? [] : taking.filter((_, i) => i % turns !== turn);
}

/** The turn of a commit, the same in each run of it; undefined where there is none. @param commit its hash, hexadecimal */
export function turnOf(commit: string): number | undefined {
  return /^[\da-f]{40}$/.test(commit) ? Number.parseInt(commit.slice(0, 8), 16) % turns : undefined;
}

/** The turn that CI has told, in `CI_TURN`. */
export function turnNow(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const told = env['CI_TURN'] ?? '';
  return /^\d$/.test(told) && Number(told) < turns ? Number(told) : undefined;
}
