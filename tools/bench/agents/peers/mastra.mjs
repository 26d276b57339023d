// Mastra: an agent registered with an instance that has no storage, and so keeps no journal.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { modelKey, model as modelName, readTicket, system, tool as ticketTool } from '../question.ts';

export function makeRun(modelsUrl) {
  const provider = createOpenAICompatible({
    name: 'simulator',
    baseURL: `${modelsUrl}/v1`,
    apiKey: modelKey,
  });
  const clerk = new Agent({
    id: 'clerk',
    name: 'clerk',
    instructions: system,
    model: provider(modelName),
    tools: {
      [ticketTool.name]: createTool({
        id: ticketTool.name,
        description: ticketTool.description,
        inputSchema: z.object({ id: z.number().int().describe(ticketTool.idDescription) }),
        execute: async ({ id }) => readTicket(id),
      }),
    },
  });
  const agent = new Mastra({ agents: { clerk }, logger: false }).getAgent('clerk');
  return async (prompt) => {
    const { text } = await agent.generate(prompt, { maxSteps: 12 });
    return text;
  };
}
