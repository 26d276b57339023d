import { once } from 'node:events';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/index.ts';
import { fileDatabase, testDatabase, testFolder } from '../open.ts';
import { outputOf, spawnScript } from '../processes/spawn.ts';

/** After how many milliseconds it was refused. */
async function refusedAfter(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await expect(work()).rejects.toMatchObject({ status: 503 });
  return performance.now() - startMs;
}

describe('the limits of a database unless told', () => {
  it('are 5 s for a write that waits and 5 s for a transaction', async () => {
    verifies('sql.busy.retry');
    const file = join(testFolder(), 'locked.db');
    await (await openDatabase(`sqlite://${file}`)).close();
    const holder = spawnScript('hold-lock.ts', file);
    const ended = outputOf(holder);
    await once(holder.stdout, 'data');
    const locked = await testDatabase(`sqlite://${file}`);
    const free = await fileDatabase();
    const [writeMs, transactionMs] = await Promise.all([
      refusedAfter(() => locked.write([{ sql: 'create table t (a)' }])),
      refusedAfter(() => free.transaction(() => new Promise(() => undefined))),
    ]);
    for (const ms of [writeMs, transactionMs]) {
      expect(ms).toBeGreaterThan(4_900);
      expect(ms).toBeLessThan(10_000);
    }
    holder.stdin.end();
    await ended;
  });

  it('are 100 ms for a statement that is not worth a log line', async () => {
    const { slowLog } = await import('../../src/database/driver/slow-log.ts');
    const lines: unknown[] = [];
    const onStatement = slowLog((...line) => void lines.push(line));
    const text = { sql: 'select 1', kind: 'read', verb: 'SELECT', parameters: [] } as const;
    for (const ms of [99, 100, 101]) onStatement(text, ms);
    expect(lines).toEqual([['warn', 'a slow statement', { sql: 'select 1', ms: 101 }]]);
  });
});
