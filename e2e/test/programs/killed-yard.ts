import { createApplication, runUntilSignal, Type } from '@waymark/server';

/** A yard under four watchers that is killed again and again: two on one camera, one on a sensor, one that has to ask a human. */
const { MODELS = '', HOOK = '', DATABASE = '', PORT = '' } = process.env;
const app = createApplication('yard', { port: Number(PORT), database: `sqlite://${DATABASE}` })
  .apiKey('ANN_KEY', 'ann', { scopes: ['svc:admin', 'devices:read', 'devices:ingest', 'read'] })
  .rateLimit(10_000, { burst: 10_000 })
  .provider('simulator', MODELS, { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5' })
  .pricing('default', 5, 25)
  .camera('door', { maxFps: 60 })
  .camera('gate', { maxFps: 60 })
  .sensor('meter')
  .post(
    '/unlock',
    { tool: true, toolName: 'unlock', approval: 'required', scopes: ['read'], input: { n: Type.Integer() } },
    ({ n }) => `unlocked ${n}`,
  )
  .agent('teller', { system: 'You tell what you see.', scopes: ['read'], tokenBudget: 100_000 })
  .agent('keeper', { system: 'You keep the gate.', tools: ['unlock'], scopes: ['read'], maxSteps: 4 });
for (const [name, device, agent, maxRunsPerHour] of [
  ['door_a', 'door', 'teller', 36_000],
  ['door_b', 'door', 'teller', 60],
  ['meter_w', 'meter', 'teller', 36_000],
  ['gate_w', 'gate', 'keeper', 36_000],
] as const)
  app.watch(name, {
    ...{ device, agent, maxRunsPerHour, scopes: ['read'], every: 0.2, input: `This is ${name}.` },
    ...{ webhook: `${HOOK}/${name}`, webhookSecretEnv: 'HOOK_SECRET' },
  });
const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
