import type { ModelRequest, ModelTool } from '@waymark/contract/models';
import { createModels, type ModelDeclaration, provider } from '@waymark/models';

/** The two wire formats. */
export const formats = ['openai', 'anthropic'] as const;

/** One of them. */
export type Format = (typeof formats)[number];

const tools: readonly ModelTool[] = ['get_ticket', 'list_tickets', 'add_note', 'close_ticket'].map(
  (name) => ({
    name,
    description: `Does what ${name} says, for the desk that asks.`,
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' }, note: { type: 'string', description: 'What shall be kept.' } },
      required: ['id'],
      additionalProperties: false,
    },
  }),
);

/** A question in the middle of a conversation with tools, as an agent asks it. */
export const question: ModelRequest = {
  model: 'bench/model',
  messages: [
    {
      role: 'system',
      parts: [{ type: 'text', text: 'You answer for a support desk, briefly and kindly. '.repeat(30) }],
    },
    { role: 'user', parts: [{ type: 'text', text: 'What is wrong with ticket 4?' }] },
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call_1', name: 'get_ticket', arguments: { id: 4 } }],
    },
    {
      role: 'user',
      parts: [
        {
          type: 'tool_result',
          id: 'call_1',
          isError: false,
          parts: [
            {
              type: 'text',
              text: JSON.stringify({ id: 4, title: 'Printer', notes: 'It burns. '.repeat(40) }),
            },
          ],
        },
      ],
    },
  ],
  tools,
  toolChoice: 'auto',
  maxTokens: 1000,
};

/** Declares where the benchmark's provider is. */
export function providerAt(url: string, format: Format): ModelDeclaration {
  return provider('bench', format === 'openai' ? `${url}/v1` : url, { kind: format, apiKeyEnv: 'BENCH_KEY' });
}

/** A request as it is sent. */
export interface WireRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** What is sent for the question: everybody shall send the same. */
export async function wireOf(url: string, format: Format): Promise<WireRequest> {
  const sent: WireRequest[] = [];
  const models = createModels([providerAt(url, format)], {
    env: () => 'bench-key',
    retries: 0,
    post: async (target, headers, body) => {
      sent.push({ url: target, headers, body: JSON.parse(body) as object });
      throw new Error('not sent');
    },
  });
  const { signal } = new AbortController();
  await models.client.complete(question, { signal }).catch(() => undefined);
  const [wire] = sent;
  if (!wire) throw new Error(`nothing was sent to ${url}`);
  return wire;
}
