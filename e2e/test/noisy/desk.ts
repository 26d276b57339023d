// The reference application, with doors of the kinds that it lacks, and a neighbour who has a sensor.
import { runUntilSignal, Type } from '@waymark/server';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createExample } from '../../../apps/server/example/application.ts';

const { MODELS_URL = '', BILLING_URL = '' } = process.env;
const app = createExample(
  { port: 0, database: 'sqlite://desk.db', mcpScopes: ['tickets:read'] },
  { billingUrl: BILLING_URL },
);
app.provider('simulator', MODELS_URL, { kind: 'anthropic' });
app.models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' });
app.apiKey('NEIGHBOUR_KEY', 'neighbour', { scopes: ['tickets:read', 'tickets:write', 'greenhouse'] });
app.jwt('JWT_SECRET');
app.sensor('greenhouse', { ingestScopes: ['greenhouse'], readScopes: ['greenhouse'] });

// The commonest pattern there is, which is quadratic.
const pattern = '^[^@]+@[^@]+\\.[^@]+$';
const item = Type.Object({ id: Type.Integer(), name: Type.String() });
app.post('/signup', { input: { email: Type.String({ pattern }) } }, ({ email }) => ({ email }));
app.put('/signup', { input: { email: Type.String({ pattern, maxLength: 254 }) } }, ({ email }) => ({
  email,
}));
app.get('/lookup', { input: { email: Type.String({ pattern }) } }, ({ email }) => ({ email }));
app.post('/mail', { input: { to: Type.String({ format: 'email' }) } }, ({ to }) => ({ to }));
app.post('/many', { input: { items: Type.Array(item) } }, ({ items }) => items.length);
app.put('/bytes', { maxBodyBytes: 32 * 1024 * 1024 }, (_input, { body }) => body?.length ?? 0);
app.get('/boom', () => {
  throw new Error('the cause of the boom');
});
app.get('/ticks', async function* () {
  for (let n = 0; n < 1_000; n++) {
    yield { event: 'tick', data: n };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return 'over';
});
app.resource(sqliteTable('parts', { id: integer().primaryKey(), name: text().notNull(), note: text() }));
app.proxy('POST', '/through/{rest*}', 'billing', { rewrite: '/{rest*}' });

const running = await app.listen();
console.log(`url ${running.url} pid ${process.pid}`);
await runUntilSignal(running);
