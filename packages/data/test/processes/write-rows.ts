// Writes rows (writer, n) as fast as it can until it is killed or told to stop, and prints each n when it is stored.
// Arguments: file, writer, how many at once, `lasting` for what outlasts the end
// of the power, and `careless` for a way that loses rows when it is killed.
import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../src/index.ts';

const [file = '', writer = '', atOnce = '16', way = 'careful'] = process.argv.slice(2);
const insert = 'insert into rows (writer, n) values (?, ?)';
let next = 0;
let stopping = false;
let stored: number[] = [];

process.stdin.on('data', () => {
  stopping = true;
});

const write = way === 'careless' ? carelessly() : await carefully();
await Promise.all(Array.from({ length: Number(atOnce) }, lane));
flush();
process.exit(0);

async function lane(): Promise<void> {
  while (!stopping) {
    const n = ++next;
    try {
      await write(n);
    } catch {
      continue;
    }
    if (stored.push(n) === 1) setImmediate(flush);
  }
}

function flush(): void {
  if (stored.length > 0) writeSync(1, `${stored.join('\n')}\n`);
  stored = [];
}

async function carefully(): Promise<(n: number) => Promise<unknown>> {
  const synchronous = way === 'lasting' ? 'full' : 'normal';
  const database = await openDatabase(`sqlite://${file}`, { synchronous });
  return (n) => database.write([{ sql: insert, args: [writer, n] }]);
}

/** Tells that a row is stored when it is written, and stores it a moment later. */
function carelessly(): (n: number) => Promise<unknown> {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const put = database.prepare(insert);
  return async (n) => {
    await new Promise(setImmediate);
    if (!database.isTransaction) {
      database.exec('BEGIN IMMEDIATE');
      setTimeout(() => database.exec('COMMIT'), 20);
    }
    put.run(writer, BigInt(n));
  };
}
