// Declares a large application, listens, and prints how many seconds that took.
import { createApplication } from '@waymark/server';
import { manyRoutes } from './many-routes.ts';

const startedMs = performance.now();
const app = createApplication('large', { port: 0, env: { LOG_LEVEL: 'silent' } });
app.add(...manyRoutes(Number(process.argv[2])));
await app.listen();
console.log((performance.now() - startedMs) / 1000);
process.exit();
