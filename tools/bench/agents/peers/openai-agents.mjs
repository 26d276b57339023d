// OpenAI Agents over Chat Completions, without tracing, which would send what was said to its makers. No journal.
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import { modelKey, model as modelName, readTicket, system, tool as ticketTool } from '../question.ts';

export function makeRun(modelsUrl) {
  const modelProvider = new OpenAIProvider({
    apiKey: modelKey,
    baseURL: `${modelsUrl}/v1`,
    useResponses: false,
  });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const agent = new Agent({
    name: 'clerk',
    model: modelName,
    instructions: system,
    tools: [
      tool({
        name: ticketTool.name,
        description: ticketTool.description,
        parameters: z.object({ id: z.number().int().describe(ticketTool.idDescription) }),
        execute: async ({ id }) => readTicket(id),
      }),
    ],
  });
  return async (prompt) => {
    const { finalOutput } = await runner.run(agent, prompt, { maxTurns: 12 });
    return finalOutput;
  };
}
