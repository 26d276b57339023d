// Takes the write lock of a file, prints `locked`, and gives it back when its input ends or after so many milliseconds.
import { DatabaseSync } from 'node:sqlite';

const [file = '', holdMs = '60000'] = process.argv.slice(2);
const database = new DatabaseSync(file, { timeout: 5_000 });
database.exec('BEGIN IMMEDIATE');
console.log('locked');
const release = (): void => {
  database.exec('ROLLBACK');
  process.exit(0);
};
setTimeout(release, Number(holdMs));
process.stdin.on('end', release).resume();
