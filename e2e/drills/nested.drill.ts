/** Nestings of real agents, behaviours and flows: deaths at every point of every shape, and at as many pairs as there is time for. */
import { afterAll, describe, expect, it } from 'vitest';
import { endure, policies } from '../test/nested/endure.ts';
import { nestedShapes } from '../test/nested/shapes.ts';
import { randoms } from '../test/runs/sample.ts';

/** Of each shape, however late it is; single deaths are never left out. */
const leastPairs = 30;

/** For all shapes together, of a machine that has nothing else to do. */
const timeMs = Number(process.env['NESTED_MS'] ?? 8 * 60_000);
const shareMs = timeMs / nestedShapes.length;

const total = { runs: 0, deaths: 0, pairs: 0, troubles: 0 };

afterAll(() => void process.stdout.write(`all shapes: ${JSON.stringify(total)}, every promise kept\n`));

describe.each(nestedShapes)('a process in the middle of: $name', (shape) => {
  it('dies at every point, and at pairs of them; its store is out of reach at every use', async () => {
    const startMs = performance.now();
    const counts = { points: 0, deaths: 0, pairs: 0, troubles: 0 };
    const lengths: number[] = [];
    for (const policy of policies) {
      const { points, uses } = await endure({ shape, policy });
      lengths.push(points);
      counts.points += points;
      for (let at = 1; at <= points; at++, counts.deaths++) await endure({ shape, policy, deaths: [at] });
      for (let at = 1; at <= uses; at += 3, counts.troubles++) await endure({ shape, policy, trouble: at });
    }
    const random = randoms(17 + nestedShapes.indexOf(shape) + Number(process.env['RUNS_SEED'] ?? 0));
    for (let i = 0; i < leastPairs || performance.now() - startMs < shareMs; i++, counts.pairs++) {
      const policy = policies[i % policies.length] ?? 'approve';
      const points = lengths[i % policies.length] ?? 1;
      const deaths = [0, 0].map(() => 1 + Math.floor(random() * points));
      await endure({ shape, policy, deaths });
    }
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    process.stdout.write(`${shape.name}: ${JSON.stringify(counts)}, every promise kept, ${seconds} s\n`);
    expect(counts.deaths).toBe(counts.points);
    total.runs += counts.deaths + counts.pairs + counts.troubles + policies.length;
    total.deaths += counts.deaths;
    total.pairs += counts.pairs;
    total.troubles += counts.troubles;
  });
});
