import { writeFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { createApplication, runUntilSignal, Type } from '@waymark/server';
import { socketRoute } from './socket-route.ts';

/** An application that remembers which requests reached a handler, and leaves the list behind when it ends. */
const { SHUTDOWN_TIMEOUT = '10', REPORT = '', MIDDLEWARE } = process.env;
const begun: number[] = [];
const app = createApplication('loaded', { port: 0, shutdownTimeout: Number(SHUTDOWN_TIMEOUT) });

/** How long the work takes depends on its number, so that some of it is always under way. */
async function work(id: number): Promise<object> {
  begun.push(id);
  if (id % 3 !== 0) await after(id % 7);
  return { id };
}
app.get('/work/{id}', { input: { id: Type.Integer() } }, ({ id }) => work(id));
app.post('/work', { input: { id: Type.Integer() } }, ({ id }) => work(id));
if (MIDDLEWARE !== undefined) app.use((_req, _res, next) => next());
app.get('/stuck', () => {
  console.log('stuck');
  return new Promise(() => {});
});
app.get('/while-draining', (_input, { signal }) => {
  console.log('waiting');
  // Answers a while after the signal came, which handlers are not told of.
  return new Promise((resolve) =>
    process.once('SIGTERM', () => setTimeout(() => resolve(signal.aborted), 400)),
  );
});
app.add(socketRoute('/feed', {}, (peer) => peer.send('ready')));

if (REPORT !== '') process.once('exit', () => writeFileSync(REPORT, JSON.stringify(begun)));
const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
