// The AI SDK as its documentation shows: `generateText` with a tool and a limit of steps. It keeps no journal.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';
import { modelKey, model as modelName, readTicket, system, tool as ticketTool } from '../question.ts';

export function makeRun(modelsUrl) {
  const provider = createOpenAICompatible({
    name: 'simulator',
    baseURL: `${modelsUrl}/v1`,
    apiKey: modelKey,
  });
  const model = provider(modelName);
  const tools = {
    [ticketTool.name]: tool({
      description: ticketTool.description,
      inputSchema: z.object({ id: z.number().int().describe(ticketTool.idDescription) }),
      execute: async ({ id }) => readTicket(id),
    }),
  };
  return async (prompt) => {
    const { text } = await generateText({
      model,
      instructions: system,
      prompt,
      tools,
      stopWhen: isStepCount(12),
    });
    return text;
  };
}
