import { createApplication, runUntilSignal } from '@waymark/server';

/** An application with a database of its own and a tool that does not write there: its audit events alone do. */
const app = createApplication('audited', { port: 0, database: `sqlite://${process.env['DATABASE']}` });
app.get('/tool', { tool: true }, () => 'used');

const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
