import { join } from 'node:path';
import { createAgents } from '@waymark/agents';
import { createOutbound } from '@waymark/http';
import { createModels, models, pricing, provider } from '@waymark/models';
import { type MakeRun, model, modelKey } from '../question.ts';
import { clerk, openDesk } from './open-desk.ts';

/** The same packages with a journal that is safe from the end of the process, and not of the power. */
export const makeRun: MakeRun = async (modelsUrl, folder) => {
  const declared = [
    provider('simulator', `${modelsUrl}/v1`, { apiKeyEnv: 'MODEL_KEY' }),
    models({ default: `simulator/${model}` }),
    pricing('default', 1, 4),
  ];
  const { client } = createModels(declared, { outbound: createOutbound(), env: () => modelKey });
  const desk = await openDesk(join(folder, 'normal.db'), {
    synchronous: 'normal',
    models: client,
    plugins: [createAgents([clerk()])],
  });
  return async (input) => {
    const { status, body } = await desk.call('clerk', { input });
    if (status !== 200 || body.kind !== 'json') throw new Error(`the run ended with ${status}`);
    return (JSON.parse(body.text) as { readonly output: string }).output;
  };
};
