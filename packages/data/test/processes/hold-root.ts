// Holds a root of a database until it is killed.
import { runRecord } from '@waymark/contract/testing';
import { openDatabase, sqlRunStore } from '../../src/index.ts';

const [file = '', holder = ''] = process.argv.slice(2);
const runs = sqlRunStore(await openDatabase(`file:${file}`));
await runs.enter(holder);
await runs.start(runRecord(`run-of-${holder}`), holder, 600_000);
console.log('holds');
setInterval(() => {}, 60_000);
