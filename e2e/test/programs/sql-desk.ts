import { runUntilSignal } from '@waymark/server';
import { carelessRoutes } from '../careless-sql.ts';
import { createSqlDesk } from '../sql-desk.ts';

/** The desk over `DATABASE`, as a process of its own; with `CARELESS`, the path of the file, it has the careless routes too. */
const { DATABASE = '', CARELESS } = process.env;
const app = createSqlDesk(DATABASE);
if (CARELESS !== undefined) app.add(...carelessRoutes(CARELESS));
const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
