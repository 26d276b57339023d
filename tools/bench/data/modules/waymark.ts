// The database module alone, in the process of whoever asks it. Prints microseconds.
import { openDatabase } from '@waymark/data';
import { listLength } from '../tickets.ts';
import { timeUses } from '../time-uses.ts';

const [, , file] = process.argv;
const database = await openDatabase(`sqlite://${file}`);
const columns = 'id, title, note, priority, urgent';
const insert = {
  sql: `insert into tickets (title, note, priority, urgent) values (?, ?, ?, ?) returning ${columns}`,
  args: ['Printer', 'It blinks twice.', 2, true],
};
const costs = {
  get: await timeUses((i) => database.many(`select ${columns} from tickets where id = ?`, [i + 1])),
  list: await timeUses(() =>
    database.many(`select ${columns} from tickets order by id limit ? offset ?`, [listLength, 0]),
  ),
  insert: await timeUses(() => database.write([insert]), 20),
  'insert of 32 at once':
    (await timeUses(() => Promise.all(Array.from({ length: 32 }, () => database.write([insert]))), 20, 10)) /
    32,
};
await database.close();
console.log(JSON.stringify(costs));
