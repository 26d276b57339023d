/** Asks others in each of its ways: `LINES` says which of them, and where each one is. */
import { createApplication } from '@waymark/server';
import type { LineFacts } from '../outbound-faults/lines.ts';

const { LINES = '[]', ...env } = process.env;
const lines = JSON.parse(LINES) as readonly LineFacts[];
const of = (kind: LineFacts['kind']): readonly LineFacts[] => lines.filter((line) => line.kind === kind);

const app = createApplication('desk', {
  ...{ port: 0, publicUrl: 'http://localhost:8000', database: 'sqlite://desk.db', env },
});
app.rateLimit(10_000, { burst: 10_000 });
app.get('/who', {}, (_input, { user }) => user.id);
app.behaviour('errand', { exposeScopes: [] }, async () => 'done');
for (const { url } of of('issuer')) app.jwt({ issuer: url, subjectPrefix: '' });
for (const { name, url } of of('upstream')) {
  app.upstream(name, url, { timeoutMs: 2_000 });
  app.proxy('GET', `/up/${name}/{what}`, name, { scopes: [], rewrite: '/{what}' });
  app.proxy('POST', `/up/${name}/{what}`, name, { scopes: [], rewrite: '/{what}' });
}
for (const { name, url } of of('model')) {
  app.provider(name, url, { kind: 'anthropic' });
  app.agent(name, { description: 'Answers.', model: `${name}/claude-opus-5`, exposeScopes: [] });
}
for (const { name, url } of of('webhook')) app.notify(url, { name, events: ['run_finished'] });
for (const { name, url } of of('camera')) app.camera(name, { source: url, readScopes: [] });
const running = await app.listen();
console.log(`url ${running.url}`);
process.on('SIGTERM', () => void running.close().then(() => process.exit()));
