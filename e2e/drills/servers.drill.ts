/** 500 kills of servers that `waymark start` started, with leases as they are, while clients, humans and models go on. */
import { describe, expect, it } from 'vitest';
import { playSeries, type Series, type SeriesReport } from '../test/servers/series.ts';
import { playSuspects } from '../test/servers/suspects.ts';

const day = { changes: true, downMs: 2_500, outageMs: 6_000, setsClocks: true };
/** Quick retries outlast no more than a second of failing models. */
const blips = 1_000;

const all: readonly (Series & { readonly name: string })[] = [
  { name: 'one server', kills: 90, servers: 1, seed: 101 },
  { name: 'one server that changes', kills: 90, servers: 1, seed: 202, changes: true, downMs: 2_500 },
  { name: 'one server, failing models', kills: 60, servers: 1, seed: 303, outageMs: 8_000 },
  { name: 'one server, all at once', kills: 80, servers: 1, seed: 404, ...day },
  { name: 'two servers', kills: 90, servers: 2, seed: 505, outageMs: blips },
  { name: 'two servers, all at once', kills: 90, servers: 2, seed: 606, ...day },
];

const total: Record<string, number> = {};

function add(report: SeriesReport): void {
  const { kills, ended, jobs, counts, faults } = report;
  const numbers = { kills, ended, jobs, faults: faults.length, ...counts };
  for (const [name, count] of Object.entries(numbers)) total[name] = (total[name] ?? 0) + count;
}

describe('servers killed with SIGKILL', () => {
  it.each(all)('keep every promise: $name', async ({ name, ...series }) => {
    const startMs = performance.now();
    const say = (line: string): void => {
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
      process.stdout.write(`${name}, ${seconds} s: ${line}\n`);
    };
    const report = await playSeries({ ...series, say });
    const { faults, takeOvers, ...numbers } = report;
    add(report);
    say(JSON.stringify(numbers));
    const times = takeOvers
      .filter(({ runs }) => runs > 0)
      .map(({ lastMs }) => lastMs)
      .toSorted((a, b) => a - b);
    say(`went on after ${at(times, 0.5)} ms p50, ${at(times, 0.95)} ms p95, ${at(times, 1)} ms at most`);
    for (const fault of faults) say(fault);
    process.stdout.write(`all so far: ${JSON.stringify(total)}\n`);
    expect(faults).toEqual([]);
  });

  it.each([
    { suspects: 2, others: 20, withinMs: 3_000 },
    { suspects: 0, others: 200, withinMs: 15_000 },
    { suspects: 2, others: 200, withinMs: 15_000 },
  ])('$suspects suspects do not hold up $others others', async ({ suspects, others, withinMs }) => {
    const takeOver = await playSuspects(suspects, others);
    process.stdout.write(`${suspects} suspects, ${others} others: ${JSON.stringify(takeOver)}\n`);
    expect(takeOver).toMatchObject({ runs: others, suspects });
    expect(takeOver.lastMs).toBeLessThan(withinMs);
  });
});

function at(sorted: readonly number[], part: number): string {
  const one = sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  return one === undefined ? '–' : one.toFixed(0);
}
