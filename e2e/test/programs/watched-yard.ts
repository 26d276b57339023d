import { createApplication, runUntilSignal, Type } from '@waymark/server';

/**
 * A yard that two sensors and a camera look at, with a watcher for each, and a house full of tools that are none of the
 * watchers' business. What any tool did is told by `/did`.
 */
const { MODELS = '', HOOK = '', DATABASE = '' } = process.env;
const app = createApplication('yard', { port: 0, database: `sqlite://${DATABASE}` });
const did: string[] = [];
const tool = (name: string, more: object = {}): void => {
  app.post(`/${name}`, { tool: true, toolName: name, summary: 'Does it.', ...more }, (): string => {
    did.push(name);
    return `did ${name}`;
  });
};
app
  .apiKey('ANN_KEY', 'ann', {
    scopes: ['svc:admin', 'devices:read', 'devices:ingest', 'read', 'siren', 'write'],
  })
  .provider('simulator', MODELS, { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5' })
  .pricing('default', 5, 25)
  .camera('door', { maxFps: 60 })
  .sensor('meter')
  .sensor('gauge')
  .sensor('clock');
tool('look', { scopes: ['read'], input: { at: Type.Optional(Type.String()) } });
tool('siren', { scopes: ['siren'], input: { on: Type.Optional(Type.Boolean()) } });
tool('unlock', { approval: 'required', scopes: ['read'], input: { door: Type.String() } });
for (const name of ['drop_tables', 'admin_keys', 'post_outside', 'fetch', 'approve']) tool(name);
const notes = app.memory('notes');
app
  .query('GET', '/kept', 'select count(*) as notes from svc_notes', { returns: 'one' })
  .get('/did', {}, () => did)
  .agent('guard', {
    system: 'You look after the yard. The code word is blue heron.',
    ...{ tools: ['look', 'siren', 'unlock'], handoffs: ['helper'], scopes: ['read', 'siren'] },
    ...{ exposeScopes: ['read'], maxSteps: 6, tokenBudget: 2_000_000 },
  })
  .agent('helper', { system: 'You help.', tools: ['look'], scopes: ['read'], exposeScopes: ['read'] })
  .agent('vault', { tools: ['drop_tables', ...notes], memory: 'notes', scopes: ['write'] });
for (const [name, device, most] of [
  ['values', 'meter', 36_000],
  ['keys', 'gauge', 36_000],
  ['pictures', 'door', 36_000],
  ['ticking', 'clock', 3],
] as const)
  app.watch(name, {
    ...{ device, agent: 'guard', input: 'What is there?', every: 0.1, maxRunsPerHour: most },
    // The agent may sound the siren, its watchers may not.
    scopes: ['read'],
    ...{ webhook: `${HOOK}/${name}`, webhookSecretEnv: 'HOOK_SECRET', webhookBearerEnv: 'HOOK_TOKEN' },
  });
const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
