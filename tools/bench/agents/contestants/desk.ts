import { type Application, createApplication, Type } from '@waymark/server';
import { model, modelKey, readTicket, system, tool, wholeTokens } from '../question.ts';

/** The secret of the caller. */
export const key = 'the-key-of-the-caller-of-the-benchmark';

/** The application as anybody writes it. @param database where its journal is */
export function deskApplication(modelsUrl: string, database: string): Application {
  const env = { ...process.env, MODEL_KEY: modelKey, CALLER_KEY: key };
  const app = createApplication('bench', { port: 0, database, env })
    .apiKey('CALLER_KEY', 'caller', { scopes: ['svc:admin', 'tickets:read'] })
    .provider('simulator', `${modelsUrl}/v1`, { apiKeyEnv: 'MODEL_KEY' })
    .models({ default: `simulator/${model}` })
    .pricing('default', 1, 4);
  app.get(
    '/tickets/{id}',
    {
      ...{ tool: true, toolName: tool.name, summary: tool.description, scopes: ['tickets:read'] },
      input: { id: Type.Integer({ description: tool.idDescription }) },
    },
    ({ id }) => readTicket(id),
  );
  app.agent('clerk', { system, maxTokens: wholeTokens, tools: [tool.name], scopes: ['tickets:read'] });
  return app;
}
