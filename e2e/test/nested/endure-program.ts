import assert from 'node:assert/strict';
import { endure, policies } from './endure.ts';
import { randomNesting, toNestedShape } from './programs.ts';

/** How a random program came out. */
export interface ProgramReport {
  readonly runs: number;
  readonly steps: number;
  readonly crashes: number;
}

/** Points that an engine passes before it goes on with anything. */
const bootPoints = 8;

/**
 * Makes a program, and performs it without a death and with two or three: the same must be given each time.
 *
 * @param largest steps that are written down; runs below them have their own
 */
export async function endureProgram(
  random: () => number,
  nth: number,
  largest: number,
): Promise<ProgramReport> {
  const size = 2 + Math.floor(random() * (largest - 1));
  const shape = toNestedShape(randomNesting(random, size), randomNesting(random, largest / 4));
  const policy = policies[nth % policies.length] ?? 'approve';
  const { points } = await endure({ shape, policy });
  const deaths = drawDeaths(random, points, 2 + (nth % 2));
  const { status, loaded, engines } = await endure({ shape, policy, deaths });
  assert.ok(['completed', 'failed', 'step_limit'].includes(status), `${shape.name} ends ${status}`);
  return { runs: loaded.runs.length, steps: loaded.ops.length, crashes: engines - 1 };
}

/** Each engine has what the one before it left, and dies somewhere in it. */
function drawDeaths(random: () => number, points: number, count: number): readonly number[] {
  let left = points;
  return Array.from({ length: count }, () => {
    const at = 1 + Math.floor(random() * left);
    left += bootPoints - at;
    return at;
  });
}
