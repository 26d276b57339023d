import { DatabaseSync } from 'node:sqlite';
import type { Crew } from './crew.ts';

/** How much is asked, and what happens meanwhile. */
export interface Ordeal {
  readonly requests: number;
  readonly clients: number;
  readonly workerKills: number;
  readonly ownerKills: number;
  readonly reloads: number;
}

/** What came of it. */
export interface Outcome {
  /** Answers by status; `reset` is a connection that broke. */
  readonly answers: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  /** Acknowledged rows that are not there, or are there twice. */
  readonly lost: number;
  readonly twice: number;
  /** Keyed calls that were answered, and rows that they have written. */
  readonly keyed: number;
  readonly effects: number;
  readonly kills: number;
}

const json = { 'content-type': 'application/json' };

/**
 * Asks everything of several processes while they are killed and reloaded. Keyed calls are made again until they are
 * answered; what else fails is not.
 */
export async function killUnderLoad(crew: Crew, ordeal: Ordeal): Promise<Outcome> {
  const answers: Record<string, number> = {};
  const titles: string[] = [];
  let asked = 0;
  let keyed = 0;
  let kills = 0;
  const count = (what: string): void => {
    answers[what] = (answers[what] ?? 0) + 1;
  };
  const ask = async (
    path: string,
    method: string,
    body?: string,
    headers = {},
  ): Promise<number | 'reset'> => {
    const answer = await crew
      .desk(path, {
        method,
        withinMs: 60_000,
        headers: { ...json, ...headers },
        ...(body !== undefined && { body }),
      })
      .then(
        ({ status }) => status,
        () => 'reset' as const,
      );
    count(String(answer));
    return answer;
  };
  const client = async (name: number): Promise<void> => {
    for (let i = 0; asked < ordeal.requests; i++) {
      asked++;
      if (i % 4 === 0) {
        const title = `${name} ${i}`;
        if ((await ask('/tickets', 'POST', JSON.stringify({ title }))) === 201) titles.push(title);
      } else if (i % 4 === 1) {
        const key = { 'idempotency-key': `key ${name} ${i}` };
        while ((await ask('/behaviours/count', 'POST', '{}', key)) !== 200);
        keyed++;
      } else await ask(i % 4 === 2 ? '/pid' : '/owner-pid', 'GET');
    }
  };
  const happen = async (): Promise<void> => {
    const events = [
      ...Array.from({ length: ordeal.workerKills }, () => 'worker' as const),
      ...Array.from({ length: ordeal.ownerKills }, () => 'owner' as const),
      ...Array.from({ length: ordeal.reloads }, () => 'reload' as const),
    ];
    for (const [i, event] of events.entries()) {
      while (asked < (ordeal.requests * (i + 1)) / (events.length + 2))
        await new Promise((resolve) => setTimeout(resolve, 5));
      if (event === 'reload') await reload(crew);
      else {
        const owner = await crew.ownerPid();
        const pid = event === 'owner' ? owner : (await crew.pids(2)).find((one) => one !== owner);
        process.kill(pid ?? 0, 'SIGKILL');
        kills++;
      }
    }
  };
  await Promise.all([happen(), ...Array.from({ length: ordeal.clients }, (_, name) => client(name))]);
  const rows = rowsOf(crew.file);
  const found = new Map<string, number>();
  for (const title of rows) found.set(title, (found.get(title) ?? 0) + 1);
  return {
    ...{ answers, acknowledged: titles.length, keyed, kills },
    lost: titles.filter((title) => !found.has(title)).length,
    twice: titles.filter((title) => (found.get(title) ?? 0) > 1).length,
    effects: found.get('counted') ?? 0,
  };
}

async function reload({ program }: Crew): Promise<void> {
  const before = program.stderr().split('reloaded').length;
  program.child.kill('SIGHUP');
  while (program.stderr().split('reloaded').length === before)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

function rowsOf(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare('select title from tickets')
      .all()
      .map((row) => String(row['title']));
  } finally {
    database.close();
  }
}
