// Binds what a program might give by mistake, by position and by name, and asks a closed database: each could end the process.
import { openDatabase } from '../../src/index.ts';

const values = [
  true,
  false,
  1,
  1.5,
  -1,
  0,
  'a',
  null,
  undefined,
  1n,
  new Uint8Array([1]),
  new ArrayBuffer(1),
];
const refusals = [Number.NaN, Number.POSITIVE_INFINITY, new Date(), {}, [], Symbol('a'), () => 1, 2n ** 70n];
const database = await openDatabase(':memory:');
const outcome = async (value: unknown): Promise<boolean> => {
  try {
    await database.many('select ? as a', [value]);
    await database.many('select :a as a', { a: value });
    await database.write([
      { sql: 'create table if not exists t (a)' },
      { sql: 'insert into t values (?)', args: [value] },
    ]);
    return true;
  } catch {
    return false;
  }
};
const outcomes = await Promise.all([...values, ...refusals].map(outcome));
const open = database.transaction(async () => undefined);
await database.close();
await open;
const closed = await database
  .many('select 1')
  .catch((error: unknown) => (error instanceof Error ? error.message : ''));
await database.transaction(async () => undefined).catch(() => undefined);
console.log(
  JSON.stringify({
    bound: outcomes.filter((bound) => bound).length,
    refused: outcomes.filter((bound) => !bound).length,
    closed,
  }),
);
