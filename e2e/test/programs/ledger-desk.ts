import { createApplication } from '@waymark/server';

/** An application whose models are paid, for `waymark start`. */
export const application = createApplication('ledger', { database: `sqlite://${process.env['DATABASE']}` })
  .apiKey('DESK_KEY', 'desk', { scopes: ['use', 'svc:admin'] })
  .rateLimit(10_000, { burst: 10_000 })
  .provider('simulator', process.env['MODELS'] ?? '', { kind: 'anthropic' })
  .pricing('simulator/claude-opus-5', 5, 25)
  .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-opus-5' })
  .get('/read', { tool: true, toolName: 'read', scopes: ['use'], summary: 'Reads.' }, () => 'read')
  .agent('desk', { tools: ['read'], scopes: ['use'], description: 'Reads.' })
  .behaviour('asks', { tools: ['desk'], scopes: ['use'], description: 'Asks.' }, async (ctx) => [
    await ctx.ask('[[latency 600]] [[say Well.]]'),
    await ctx.call('desk', { input: '[[latency 600]] [[call read {}]] [[say Done.]]' }),
  ]);
