import { createPages, staticFiles } from '@waymark/pages';
import { createApplication, runUntilSignal } from '@waymark/server';

/** Serves a directory, and says what it costs: a process of its own, since memory is looked at. */
const app = createApplication('large-file', { port: 0 });
app.add(createPages([staticFiles('/files', process.argv[2] ?? '.')]));
const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
