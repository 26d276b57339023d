/** Instances on one libsql server: 200 kills of theirs, and some 60 of the server, while clients, humans and models go on. */
import { describe, expect, it } from 'vitest';
import { playSeries, type Series } from '../test/servers/series.ts';
import { findSqld } from '../test/servers/sqld.ts';

const { MACHINES_KILLS: part = '1' } = process.env;

const all: readonly (Series & { readonly name: string })[] = [
  { name: 'two instances', kills: 60, servers: 2, seed: 707 },
  { name: 'two instances, a server that dies', kills: 60, servers: 2, seed: 808, sqldDownMs: 3_000 },
  {
    ...{
      name: 'three that change, with clocks of their own',
      kills: 80,
      servers: 3,
      seed: 909,
      changes: true,
    },
    ...{ setsClocks: true, sqldDownMs: 2_000, outageMs: 1_000 },
  },
];

describe('instances on one libsql server, killed with SIGKILL', () => {
  it.each(all)('keep every promise: $name', async ({ name, kills, ...series }) => {
    const sqld = await findSqld();
    if (!sqld) return;
    await sqld.start();
    const startMs = performance.now();
    const say = (line: string): void => {
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
      process.stdout.write(`${name}, ${seconds} s: ${line}\n`);
    };
    try {
      const wanted = Math.ceil(kills * Number(part));
      const { faults, takeOvers: _, ...numbers } = await playSeries({ ...series, kills: wanted, sqld, say });
      say(JSON.stringify(numbers));
      for (const fault of faults) say(fault);
      expect(faults).toEqual([]);
    } finally {
      await sqld.remove();
    }
  });
});
