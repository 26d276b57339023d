import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApplication, runUntilSignal } from '@waymark/server';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** An application with the limits it has by itself, as a process whose memory can be asked for. */
const app = createApplication('flooded', { port: 0 });
app.apiKey('SHOP_KEY', 'shop');
app.get('/open', (_input, { user }) => user.id);
app.get('/heap', () => {
  collect();
  return process.memoryUsage().heapUsed;
});

const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
