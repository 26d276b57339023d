// better-sqlite3 alone, in the process of whoever asks it. Prints microseconds.
import Database from 'better-sqlite3';
import { listLength } from '../tickets.ts';
import { timeUses } from '../time-uses.ts';

const [, , file] = process.argv;
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
const columns = 'id, title, note, priority, urgent';
const selectOne = database.prepare(`select ${columns} from tickets where id = ?`);
const selectMany = database.prepare(`select ${columns} from tickets order by id limit ? offset ?`);
const insertOne = database.prepare(
  `insert into tickets (title, note, priority, urgent) values (?, ?, ?, ?) returning ${columns}`,
);
const insert = () => insertOne.get('Printer', 'It blinks twice.', 2, 1);
const insertMany = database.transaction(() => {
  for (let i = 0; i < 32; i++) insert();
});
const costs = {
  get: await timeUses((i) => selectOne.get(i + 1)),
  list: await timeUses(() => selectMany.all(listLength, 0)),
  insert: await timeUses(insert, 20),
  'insert of 32 at once': (await timeUses(insertMany, 20, 10)) / 32,
};
database.close();
console.log(JSON.stringify(costs));
