/** Deaths at every point of every shape, pairs of them, and a thousand behaviours that nobody wrote. */
import { describe, expect, it } from 'vitest';
import { randomProgram, toShape } from '../test/runs/programs.ts';
import { randoms } from '../test/runs/sample.ts';
import { type Shape, shapes } from '../test/runs/shapes.ts';
import { type Policy, type Scenario, simulate } from '../test/runs/simulate.ts';

const policies: readonly Policy[] = ['approve', 'approve-last', 'deny', 'expire'];
const pairs = 50;
const programs = 1_000;
/** For one shape, so that all of it takes less than ten minutes on a machine that does nothing else; what is left is said. */
const shapeMs = Number(process.env['RUNS_SHAPE_MS'] ?? 45_000);
const programsMs = 2 * shapeMs;

/** Everything that can happen to a shape while humans do one thing, in an order drawn by a seed. */
async function scenariosOf(shape: Shape, policy: Policy, random: () => number): Promise<readonly Scenario[]> {
  const { points, uses } = await simulate({ shape, policy, deaths: [] });
  const any = (): number => 1 + Math.floor(random() * points);
  const all: Scenario[] = [
    ...Array.from({ length: points }, (_, i) => ({ shape, policy, deaths: [i + 1] })),
    ...Array.from({ length: pairs }, () => ({ shape, policy, deaths: [any(), any()] })),
    ...Array.from({ length: uses }, (_, i) => ({ shape, policy, deaths: [], trouble: i + 1 })),
  ];
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

describe.each(shapes)('a process in the middle of: $name', (shape) => {
  it('dies at every point, and at pairs of them; its store is out of reach at every use', async () => {
    const startMs = performance.now();
    const counts = { deaths: 0, pairs: 0, troubles: 0, left: 0 };
    for (const [i, policy] of policies.entries()) {
      const untilMs = startMs + ((i + 1) * shapeMs) / policies.length;
      const scenarios = await scenariosOf(shape, policy, randoms(100 + i));
      for (const scenario of scenarios) {
        if (performance.now() > untilMs) counts.left++;
        else {
          await simulate(scenario);
          counts[scenario.trouble ? 'troubles' : scenario.deaths.length > 1 ? 'pairs' : 'deaths']++;
        }
      }
    }
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    process.stdout.write(`${shape.name}: ${JSON.stringify(counts)}, every promise kept, ${seconds} s\n`);
    expect(counts.deaths).toBeGreaterThan(0);
  });
});

describe('random behaviours', () => {
  it('replay without a mismatch after two deaths each', async () => {
    const random = randoms(41);
    const untilMs = performance.now() + programsMs;
    let i = 0;
    for (; i < programs && performance.now() < untilMs; i++) {
      const program = randomProgram(random, 4 + Math.floor(random() * 24));
      const shape = toShape(JSON.stringify(program), program);
      const policy = policies[i % policies.length] ?? 'approve';
      const { points } = await simulate({ shape, policy, deaths: [] });
      const deaths = [0, 0].map(() => 1 + Math.floor(random() * points));
      const { status } = await simulate({ shape, policy, deaths });
      expect(['completed', 'failed']).toContain(status);
    }
    process.stdout.write(`${i} of ${programs} random behaviours, two deaths each: no mismatch\n`);
  });
});
