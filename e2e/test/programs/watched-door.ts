import { startSimulator } from '@waymark/model-simulator';
import { createApplication, runUntilSignal } from '@waymark/server';

/** A door with a camera and an agent that looks through it, as a process of its own: all it says is on its output. */
const simulator = await startSimulator({ anonymous: true });
const app = createApplication('door', { port: 0, database: `sqlite://${process.env['DATABASE']}` });
app
  .apiKey('ANN_KEY', 'ann', { scopes: ['svc:admin', 'devices:read', 'devices:ingest'] })
  .provider('simulator', simulator.url, { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
  .pricing('default', 5, 25)
  .pricing('fast', 1, 5)
  .camera('door')
  .post('/open', { tool: true, toolName: 'open_door', approval: 'required', summary: 'Opens.' }, () => 'open')
  .agent('guard', {
    description: 'Looks.',
    tools: ['door_snapshot', 'open_door', 'helper'],
    scopes: ['devices:read'],
    contextWindow: 4_000,
    keepRecent: 1,
  })
  .agent('helper', { description: 'Looks, too.', tools: ['door_snapshot'], scopes: ['devices:read'] });
const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
await simulator.close();
