import { createModels, models, pricing, provider } from '@waymark/models';

const { client, close } = createModels([
  provider('router', process.env['ROUTER_URL'] ?? 'https://router.example/v1', { apiKeyEnv: 'ROUTER_KEY' }),
  // First the router's model, and when that fails for good, the built-in alias `fast` of Anthropic.
  models({ helper: ['router/small-1', 'fast'] }),
  pricing('router/small-1', 0.5, 2),
]);

/** Asks one question: `{ value: { mood: 'good' }, spend: [{ costMicros: 61, … }], … }`. */
export const reply = await client.complete(
  {
    model: 'helper',
    messages: [
      { role: 'user', parts: [{ type: 'text', text: 'How do you feel? [[json {"mood": "good"}]]' }] },
    ],
    schema: { type: 'object', properties: { mood: { enum: ['good', 'bad'] } }, required: ['mood'] },
    maxTokens: 1000,
  },
  { signal: AbortSignal.timeout(60_000) },
);
close();
