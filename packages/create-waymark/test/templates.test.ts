import { startSimulator } from '@waymark/model-simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import script from '../templates/agent/simulator.ts';

const tools = ['list_orders', 'refund_order'].map((name) => ({
  type: 'function',
  function: { name, description: name, parameters: { type: 'object' } },
}));

type Message = Readonly<Record<string, unknown>>;

describe('the simulated model of the template agent', () => {
  it('refunds the order that is named, once, and lists them otherwise', async () => {
    const { url, close } = await startSimulator({ anonymous: true, script });
    onTestFinished(close);
    const say = async (...messages: readonly Message[]): Promise<Message> => {
      const body = JSON.stringify({ model: 'any', messages, tools });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
      const { choices } = (await response.json()) as { choices: readonly { message: Message }[] };
      return choices[0]?.message ?? {};
    };
    const question = { role: 'user', content: 'Refund order 2, please.' };
    const call = await say(question);
    expect(call).toMatchObject({
      tool_calls: [{ function: { name: 'refund_order', arguments: '{"id":2}' } }],
    });
    const [{ id = '' } = {}] = call['tool_calls'] as readonly { id?: string }[];
    const told = await say(question, call, { role: 'tool', tool_call_id: id, content: '{}' });
    expect(told).toMatchObject({ content: 'That is all there is to it.' });
    expect(told).not.toHaveProperty('tool_calls');
    expect(await say({ role: 'user', content: 'Which are there?' })).toMatchObject({
      tool_calls: [{ function: { name: 'list_orders' } }],
    });
  });
});
