import { model, type Run, readTicket, system, tool } from '../question.ts';

/** Sends a body to the model server and gives what it answers, read from JSON. */
export type Post = (body: object) => Promise<unknown>;

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Completion {
  readonly choices: readonly [
    { readonly message: { readonly content: string | null; readonly tool_calls?: readonly ToolCall[] } },
  ];
}

const tools = [
  {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: {
        type: 'object',
        properties: { id: { type: 'integer', description: tool.idDescription } },
        required: ['id'],
        additionalProperties: false,
      },
    },
  },
];

/** The least that anybody has to do: a list of messages, and a loop until nothing is called. Nothing is kept of it. */
export function bareLoop(post: Post): Run {
  return async (input) => {
    const messages: object[] = [
      { role: 'system', content: system },
      { role: 'user', content: input },
    ];
    for (;;) {
      const { choices } = (await post({ model, messages, tools })) as Completion;
      const { message } = choices[0];
      if (!message.tool_calls) return message.content ?? '';
      messages.push(message);
      for (const call of message.tool_calls) {
        const { id } = JSON.parse(call.function.arguments) as { readonly id: number };
        messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(readTicket(id)) });
      }
    }
  };
}
