import { createApplication } from '@waymark/server';

/** Two cameras, each with a watcher: one asks a slow model, the other’s agent asks a human. The models at MODELS. */
export const application = createApplication('watched-cameras', {
  database: `sqlite://${process.env['DATABASE']}`,
});
application
  .apiKey('DESK_KEY', 'boss', { scopes: ['svc:admin', 'devices:ingest', 'devices:read', 'guard', 'open'] })
  .provider('simulator', process.env['MODELS'] ?? '', { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5' })
  .pricing('default', 1, 1)
  .camera('door')
  .camera('gate')
  .post(
    '/open',
    { tool: true, toolName: 'open', approval: 'required', scopes: ['open'], summary: 'Opens the gate.' },
    () => 'open',
  )
  .agent('guard', { scopes: ['guard'], description: 'Looks.' })
  .agent('porter', { scopes: ['open'], tools: ['open'], description: 'Opens.' });
const often = { every: 0.1, maxRunsPerHour: 36_000 } as const;
application
  .watch('slow', {
    ...often,
    device: 'door',
    agent: 'guard',
    scopes: ['guard'],
    input: '[[latency 400]] [[say Seen.]]',
  })
  .watch('asking', {
    ...{ ...often, device: 'gate', agent: 'porter', scopes: ['open'] },
    input: '[[call open {}]] [[say Opened.]]',
  });
