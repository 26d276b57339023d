import type { Json } from '@waymark/contract';
import type { Message, ModelCallOptions, ModelReply, ModelRequest, Part } from '@waymark/contract/models';
import { type Simulator, type SimulatorOptions, startSimulator } from '@waymark/model-simulator';
import { onTestFinished } from 'vitest';
import {
  type CreateModelsOptions,
  createModels,
  type ModelDeclaration,
  type Models,
  provider,
} from '../src/index.ts';

/** Both formats, each under the name of its provider. */
export const formats = ['anthropic', 'openai'] as const;

/** A client of a simulator in both formats: `anthropic/<model>` and `openai/<model>`. */
export interface Desk {
  readonly simulator: Simulator;
  readonly models: Models;
  /** Waits that retries asked for, in milliseconds; none of them is really waited for. */
  readonly waits: number[];
  readonly logs: string[];
  ask(
    request: Partial<ModelRequest> & { readonly text?: string },
    options?: Partial<ModelCallOptions>,
  ): Promise<ModelReply>;
}

/** Opens a desk that is closed with the test. */
export async function openDesk(
  options: CreateModelsOptions & {
    readonly simulator?: SimulatorOptions;
    readonly declarations?: readonly ModelDeclaration[];
  } = {},
): Promise<Desk> {
  const { simulator: simulatorOptions, declarations = [], ...others } = options;
  const simulator = await startSimulator(simulatorOptions);
  const waits: number[] = [];
  const logs: string[] = [];
  const models = createModels([...providersAt(simulator.url), ...declarations], {
    env: (name) => (name === 'MODEL_KEY' ? 'hush-of-the-desk' : undefined),
    random: () => 0,
    wait: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
    },
    log: (_level, message) => logs.push(message),
    ...others,
  });
  onTestFinished(async () => {
    models.close();
    await simulator.close();
  });
  return {
    simulator,
    models,
    waits,
    logs,
    ask({ text, ...request }, callOptions = {}) {
      const messages = text === undefined ? [] : [user(text)];
      return models.client.complete(
        { model: 'anthropic/m', messages, maxTokens: 1000, ...request },
        { signal: new AbortController().signal, ...callOptions },
      );
    },
  };
}

/** The two providers of a desk. */
export function providersAt(url: string): ModelDeclaration[] {
  return [
    provider('anthropic', url, { kind: 'anthropic', apiKeyEnv: 'MODEL_KEY' }),
    provider('openai', `${url}/v1`, { apiKeyEnv: 'MODEL_KEY' }),
  ];
}

/** A message of the user. */
export function user(...parts: readonly (string | Part)[]): Message {
  return {
    role: 'user',
    parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  };
}

/** The result of a call. */
export function result(id: string, ...parts: readonly (string | Part)[]): Part {
  return { type: 'tool_result', id, parts: user(...parts).parts, isError: false };
}

/** The text of a reply. */
export function textOf({ message }: ModelReply): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The calls of a reply. */
export function callsOf({
  message,
}: ModelReply): { readonly id: string; readonly name: string; readonly arguments: Json }[] {
  return message.parts.filter((part) => part.type === 'tool_call');
}

/** Two tools. */
export const tools = [
  {
    name: 'get_ticket',
    description: 'Reads a ticket.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      additionalProperties: false,
    },
  },
  {
    name: 'add_note',
    description: 'Adds a note.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
];

/** A pixel. */
export const png: Part = {
  type: 'image',
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
