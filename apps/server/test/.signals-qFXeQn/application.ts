import { createApplication } from '@waymark/server';
export const application = createApplication('shop', { shutdownTimeout: 0.3 });

let release;
const gate = new Promise((resolve) => { release = resolve; });
application.get('/slow', async () => { console.log('asked'); await gate; return 'done'; });
application.get('/stuck', () => { console.log('asked'); return new Promise(() => {}); });
setTimeout(() => {}, 60_000);

      application.add({ name: 'stuck', routes: [], stop: () => new Promise(() => {}) });
