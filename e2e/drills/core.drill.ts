/** A million random programs, each under a random schedule of everything that can happen to a leg, without a database. */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../packages/runs/test/core/run-schedules.ts');
const schedules = Number(process.env['CORE_SCHEDULES'] ?? 1_000_000);
const firstSeed = Number(process.env['CORE_SEED'] ?? 1_000_000);

it('a million schedules of the core break none of its rules', async () => {
  const startMs = performance.now();
  const workers = availableParallelism();
  const each = Math.ceil(schedules / workers);
  const outputs = await Promise.all(
    Array.from({ length: workers }, (_, i) =>
      promisify(execFile)(process.execPath, [
        '--conditions=@waymark/source',
        script,
        String(firstSeed + i * each),
        String(each),
      ]),
    ),
  );
  const total: Record<string, number> = {};
  for (const { stdout } of outputs)
    for (const [name, count] of Object.entries(JSON.parse(stdout) as Record<string, number>))
      total[name] = (total[name] ?? 0) + count;
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
  process.stdout.write(`${JSON.stringify(total)}, no rule broken, ${seconds} s\n`);
  expect(total['schedules']).toBeGreaterThanOrEqual(schedules);
});
