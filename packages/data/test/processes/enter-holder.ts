// Is a holder of a database, and holds nothing, until it is killed.
import { openDatabase, sqlRunStore } from '../../src/index.ts';

const [file = '', holder = ''] = process.argv.slice(2);
const leave = await sqlRunStore(await openDatabase(`file:${file}`)).enter(holder);
console.log('entered');
// Referred to, as by a process at work.
setInterval(() => void leave, 60_000);
