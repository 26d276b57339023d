import { EventEmitter } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { createApplication, runUntilSignal, Type } from '@waymark/server';
import { socketRoute } from './socket-route.ts';

/** An application whose handlers leave failures behind, and hold up the event loop. */
const { SHUTDOWN_TIMEOUT = '10', LISTENS } = process.env;
const app = createApplication('careless', { port: 0, shutdownTimeout: Number(SHUTDOWN_TIMEOUT) });

const fail = (): never => {
  throw new Error('left behind');
};
const failures: Readonly<Record<string, () => void>> = {
  rejection: () => void Promise.reject(new Error('left behind')),
  chain: () => void after(5).then(fail),
  timer: () => void setTimeout(fail, 5),
  immediate: () => void setImmediate(fail),
  tick: () => process.nextTick(fail),
  microtask: () => queueMicrotask(fail),
  event: () => void setTimeout(() => new EventEmitter().emit('error', new Error('left behind')), 5),
  late: () => void setTimeout(fail, 400),
  // More than anybody wants to read.
  storm: () => void setInterval(fail, 1),
};
for (const [name, leave] of Object.entries(failures))
  app.get(`/${name}`, () => {
    leave();
    return name;
  });
app.post('/rejection', { input: { n: Type.Integer() } }, async ({ n }) => {
  await after(1);
  void Promise.reject(new Error('left behind'));
  return n;
});
app.add(socketRoute('/socket', {}, (peer) => setTimeout(() => fail(), 5) && peer.send('open')));
app.get('/slow', async () => {
  console.log('waiting');
  await after(700);
  return 'done';
});
app.get('/stuck', () => {
  console.log('waiting');
  return new Promise(() => {});
});

/** Holds up everybody for so long. */
function hold(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
app.get('/holds/{ms}', { input: { ms: Type.Integer() } }, ({ ms }) => hold(ms));
app.post('/holds', { input: { ms: Type.Integer() } }, ({ ms }) => hold(ms));
app.get('/holds-later/{ms}', { input: { ms: Type.Integer() } }, async ({ ms }) => {
  await after(1);
  hold(ms);
});

if (LISTENS !== undefined) process.on(LISTENS, () => console.log('heard'));
const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
