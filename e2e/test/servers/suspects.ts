import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { application } from './application.ts';
import { Fleet, keys, type Server } from './fleet.ts';
import { Journal } from './observed.ts';
import { startOutside } from './outside.ts';
import { type TakeOver, watchTakeOver } from './take-over.ts';

/** Longer than two lives of servers. */
const stuckMs = 60_000;
/** Longer than a death and a start. */
const workMs = 8_000;

/**
 * Runs that were under way when two processes died without a step of theirs in between, and others that saw one death.
 *
 * @returns how soon the others went on, behind the last start
 */
export async function playSuspects(suspects: number, others: number): Promise<TakeOver> {
  const folder = mkdtempSync(join(tmpdir(), 'suspects-'));
  const outside = await startOutside();
  const fleet = new Fleet({ folder, outside: outside.url, application });
  const ask = (server: Server, name: string, ms: number): void =>
    void fetch(`${server.url}/agents/desk`, {
      method: 'POST',
      headers: { 'x-api-key': keys.DESK_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ input: `${name} [[latency ${ms}]] [[say done ${name}]]` }),
    }).catch(() => undefined);
  const asked = async (count: number): Promise<void> => {
    while (outside.happened.filter(({ what }) => what === 'asked').length < count) await sleep(20);
  };
  try {
    const first = await fleet.start(1);
    for (let i = 0; i < suspects; i++) ask(first, `job-${i}`, stuckMs);
    await asked(suspects);
    await fleet.end(first, 'SIGKILL');
    const second = await fleet.start(1);
    for (let i = 0; i < others; i++) ask(second, `job-${1_000 + i}`, workMs);
    await asked(2 * suspects + others);
    await fleet.end(second, 'SIGKILL');
    const journal = new Journal(fleet.file);
    const orphans = journal.underWay();
    const third = await fleet.start(1);
    const takeOver = await watchTakeOver(journal, orphans, third.readyMs, () => false);
    journal.close();
    return takeOver;
  } finally {
    for (const server of fleet.servers) server.program.child.kill('SIGKILL');
    await outside.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
