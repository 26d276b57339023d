import { startSimulator } from '@waymark/model-simulator';

const simulator = await startSimulator();

const ask = async (messages: readonly object[]) => {
  const response = await fetch(`${simulator.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model: 'claude-opus-5',
      max_tokens: 500,
      messages,
      tools: [{ name: 'get_ticket', description: 'Reads one ticket.', input_schema: { type: 'object' } }],
    }),
  });
  return (await response.json()) as { content: { id: string }[]; stop_reason: string };
};

const question = { role: 'user', content: '[[call get_ticket {"id":4}]] [[say It burns.]]' };
const called = await ask([question]);
console.log(called.stop_reason, JSON.stringify(called.content));

const result = { type: 'tool_result', tool_use_id: called.content[0]?.id, content: '{"title":"Printer"}' };
const told = await ask([
  question,
  { role: 'assistant', content: called.content },
  { role: 'user', content: [result] },
]);
console.log(told.stop_reason, JSON.stringify(told.content));

console.log(
  simulator.requests.map(({ status, usage }) => `${status}: ${usage?.inputTokens} tokens in`).join(', '),
);
await simulator.close();
