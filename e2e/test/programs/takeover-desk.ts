import { createApplication } from '@waymark/server';

/** An application whose agent asks the models at MODELS, for `waymark start`. */
export const application = createApplication('takeover', { database: `sqlite://${process.env['DATABASE']}` })
  .apiKey('DESK_KEY', 'desk', { scopes: ['use', 'svc:admin'] })
  .rateLimit(10_000, { burst: 10_000 })
  .provider('simulator', process.env['MODELS'] ?? '', { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
  .get('/read', { tool: true, toolName: 'read', scopes: ['use'], summary: 'Reads.' }, () => 'read')
  .agent('desk', { tools: ['read'], scopes: ['use'], description: 'Reads.' });
