import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';

/** Another program with the lock of a file: says `locked`, holds it for a while, then lets go. */
const [file = '', mode = 'IMMEDIATE', holdMs = '10000'] = process.argv.slice(2);
const database = new DatabaseSync(file, { timeout: 5_000 });
database.exec(`BEGIN ${mode}`);
database.exec('create table foreign_work (id integer)');
console.log('locked');
await after(Number(holdMs));
database.exec('ROLLBACK');
database.close();
console.log('released');
