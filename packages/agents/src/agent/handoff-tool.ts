import { Type } from '@waymark/contract';
import type { ModelTool } from '@waymark/contract/models';
import type { AgentSettings } from './agent-settings.ts';

/** How the name of every handoff begins. */
export const handoffPrefix = 'transfer_to_';

const reasonSchema = Type.Object(
  { reason: Type.String({ description: 'Why the other one should go on.' }) },
  { additionalProperties: false },
);

/** The tool with which a model hands its run over (decision 6.6). */
export function handoffTool({ name, description }: Pick<AgentSettings, 'name' | 'description'>): ModelTool {
  return {
    name: handoffPrefix + name,
    description: `Hands the conversation over to ${name}, who goes on with it.${description && ` ${description}`}`,
    inputSchema: reasonSchema,
  };
}
