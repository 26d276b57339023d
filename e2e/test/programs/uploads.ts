import { createApplication, runUntilSignal } from '@waymark/server';

/** An application that takes large bodies, with the limits it has by itself. */
const app = createApplication('uploads', { port: 0 });
app.apiKey('SHOP_KEY', 'shop');
app.apiKey('OTHER_KEY', 'other');
app.post('/pictures', { body: 'bytes', maxBodyBytes: 32 * 2 ** 20 }, (_input, { body }) => body?.length);

const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
