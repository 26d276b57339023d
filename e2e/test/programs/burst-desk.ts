/** A service that has much to do once, and then nothing: its memory is looked at. */
import { createApplication, runUntilSignal } from '@waymark/server';

const app = createApplication('burst-desk', { port: 0 });
app.post('/burst', () => {
  const much: object[] = [];
  for (let i = 0; i < 1_500_000; i++) much.push({ i, text: `x${i}` });
  return much.length;
});
const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url} pid ${process.pid}`);
await stopped;
