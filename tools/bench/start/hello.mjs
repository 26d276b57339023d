// An application of one route, as somebody runs it who has installed the server: its CPU time and memory when it listens.
import module from 'node:module';

// The first line of the command line, too.
module.enableCompileCache();
const { createApplication } = await import('@waymark/server');
const app = createApplication('hello', { port: 0, env: { LOG_LEVEL: 'silent' } });
app.get('/hello', {}, () => ({ hello: 'world' }));
await app.listen();
await import('./tell-ready.mjs').then(({ tellReady }) => tellReady());
