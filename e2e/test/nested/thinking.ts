import type { Json, Values } from '@waymark/contract';
import type { ModelClient, ModelReply, ModelRequest, Part } from '@waymark/contract/models';
import { scriptedModel } from '@waymark/contract/testing';
import type { Stage } from '../runs/drivers.ts';

/** One turn of a model: the calls it wants. After the last one it says its last word. */
export type Turn = readonly (readonly [tool: string, args?: Values])[];

/** What the model of each agent does, by the system prompt of the agent. */
export type Scripts = Readonly<Record<string, readonly Turn[]>>;

/**
 * A model whose answers are all different and cost differently: one that is asked for anew, or paid twice, shows. What it
 * does follows from the conversation alone, so it can be asked in any process.
 */
export function thinkingModel({ world, life }: Stage, scripts: Scripts): ModelClient {
  return {
    ...scriptedModel([]),
    async complete(request) {
      await life.point('model asked');
      const n = ++world.modelCalls;
      const reply = toReply(request, scripts, n);
      world.happened(`model ${n}`);
      await life.point('model answered');
      return reply;
    },
  };
}

function toReply(request: ModelRequest, scripts: Scripts, n: number): ModelReply {
  const { model, schema, toolChoice, tools = [] } = request;
  const spend = {
    ...{ model, provider: 'script', inputTokens: n, outputTokens: 1, costMicros: 5 },
    ...{ cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false },
  };
  const said = (parts: readonly Part[], more: Partial<ModelReply> = {}): ModelReply => ({
    ...{ message: { role: 'assistant', parts }, stop: 'end', spend: [spend] },
    ...more,
  });
  if (schema) return said([{ type: 'text', text: `{"n":${n}}` }], { value: { n } });
  if (typeof toolChoice === 'object')
    return said([choice(toolChoice.tool, tools, n)], { stop: 'tool_calls' });
  const name = systemOf(request);
  const script = scripts[name];
  if (!script) return said([{ type: 'text', text: `answer ${n}` }]);
  const turn = script[turnsOf(request, name)];
  if (!turn) return said([{ type: 'text', text: `${name} ends, ${n}` }]);
  const calls = turn.map(([tool, args = {}], i): Part => {
    return { type: 'tool_call', id: `call_${n}_${i}`, name: tool, arguments: args as Json };
  });
  return said([{ type: 'text', text: `${name} calls, ${n}` }, ...calls], { stop: 'tool_calls' });
}

/** Another label each time it is asked, so that a choice that is made again shows. */
function choice(tool: string, tools: NonNullable<ModelRequest['tools']>, n: number): Part {
  const schema = tools[0]?.inputSchema as { properties: { label: { enum: readonly string[] } } };
  const labels = schema.properties.label.enum;
  const label = labels[n % labels.length] ?? '';
  return { type: 'tool_call', id: `choice_${n}`, name: tool, arguments: { label } };
}

function systemOf({ messages }: ModelRequest): string {
  return messages.flatMap(({ role, parts }) => (role === 'system' ? parts.map(textOf) : [])).join('');
}

/** How often the agent spoke since it was last asked something. */
function turnsOf({ messages }: ModelRequest, name: string): number {
  const asked = messages.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some(({ type }) => type === 'text'),
  );
  const since = messages.slice(asked).filter(({ role }) => role === 'assistant');
  return since.filter(({ parts }) => parts.some((part) => textOf(part).startsWith(`${name} calls`))).length;
}

function textOf(part: Part): string {
  return part.type === 'text' ? part.text : '';
}
