import type { Json } from '@waymark/contract';
import { type InputError, toDetail } from '@waymark/contract/engine';
import type { ModelReply, ModelRequest, Part } from '@waymark/contract/models';
import { validateValue } from '@waymark/contract/schema';
import { isObject } from '../json.ts';
import { callIds, uniqueId } from '../wire/call-ids.ts';
import type { CleanReply } from '../wire/normalise-reply.ts';
import { answerTool, inWords, isObjectSchema, type Plan } from './plan-request.ts';
import { readJson } from './read-json.ts';

/** Whether a reply is what was asked for, and if not, how to ask once more. */
export type Verdict =
  | { readonly ok: true; readonly reply: Omit<ModelReply, 'spend'> }
  | { readonly ok: false; readonly complaint: string; readonly repair: ModelRequest };

/** Characters of a complaint: the paths in it may be of the model's making. */
const maxComplaint = 500;

/** Holds a reply against the schema and the tool choice of its request. Replies that stopped for another reason pass. */
export function verifyReply(request: ModelRequest, plan: Plan, reply: CleanReply): Verdict {
  if (reply.stop !== 'end' && reply.stop !== 'tool_calls') return { ok: true, reply };
  if (request.schema !== undefined) return verifyValue(request, request.schema, plan, reply);
  return verifyChoice(request, reply);
}

function verifyValue(request: ModelRequest, schema: object, plan: Plan, reply: CleanReply): Verdict {
  if (reply.stop === 'tool_calls' && plan.schemaBy !== 'tool') return { ok: true, reply };
  const found = valuesIn(reply.message.parts, schema, plan);
  let errors: readonly InputError[] = [{ path: '', message: 'it holds no JSON' }];
  for (const value of found) {
    errors = request.check ? request.check(value) : validateValue(schema, value);
    if (errors.length === 0) return { ok: true, reply: withValue(reply, value, plan) };
  }
  const complaint = toDetail(errors).slice(0, maxComplaint);
  const said = reply.message.parts.filter((part) => part.type === 'text');
  return {
    ok: false,
    complaint,
    repair: {
      ...request,
      messages: [
        ...request.messages,
        ...(said.length > 0 ? [{ role: 'assistant' as const, parts: said }] : []),
        inWords(schema, `That is not what was asked for: ${complaint}. `),
      ],
    },
  };
}

/** What in a reply may be the answer, the likeliest first. */
function valuesIn(parts: readonly Part[], schema: object, { schemaBy }: Plan): readonly Json[] {
  const call = schemaBy === 'tool' ? parts.find((part) => part.type === 'tool_call') : undefined;
  const written = readJson(textIn(parts));
  const given = call?.arguments ?? (schemaBy === 'tool' ? argumentsIn(written, answerTool) : written);
  if (given === undefined) return [];
  const inner = !isObjectSchema(schema) && isObject(given) ? given['value'] : undefined;
  if (inner === undefined) return [given];
  // In words it was asked for as it is, and else as a member.
  return schemaBy === 'words' ? [given, inner] : [inner, given];
}

/** Adds the value to a reply; a reply that carried it in a forced tool call becomes text. */
function withValue(reply: CleanReply, value: Json, { schemaBy }: Plan): Omit<ModelReply, 'spend'> {
  if (schemaBy !== 'tool') return { ...reply, value };
  const kept = reply.message.parts.filter(({ type }) => type === 'opaque');
  const parts: readonly Part[] = [...kept, { type: 'text', text: JSON.stringify(value) }];
  return { message: { role: 'assistant', parts }, stop: 'end', value };
}

function verifyChoice(request: ModelRequest, reply: CleanReply): Verdict {
  const { toolChoice = 'auto', tools = [] } = request;
  if (toolChoice === 'auto' || tools.length === 0) return { ok: true, reply };
  const { parts } = reply.message;
  if (toolChoice === 'none') {
    const others = parts.filter(({ type }) => type !== 'tool_call');
    if (reply.stop === 'end' || textIn(others) !== '')
      return { ok: true, reply: { message: { role: 'assistant', parts: others }, stop: 'end' } };
    return askAgain(request, [], 'it calls a tool', 'Answer in words. Do not call a tool.');
  }
  const names = typeof toolChoice === 'object' ? [toolChoice.tool] : tools.map(({ name }) => name);
  if (parts.some((part) => part.type === 'tool_call' && names.includes(part.name)))
    return { ok: true, reply };
  const written = callIn(parts, names, request);
  if (written)
    return { ok: true, reply: { message: { role: 'assistant', parts: [written] }, stop: 'tool_calls' } };
  const which = names.length === 1 ? `the tool "${names[0]}"` : 'one of the tools';
  const said = parts.filter((part) => part.type === 'text');
  return askAgain(request, said, `it does not call ${which}`, `Call ${which} now, and say nothing else.`);
}

function askAgain(request: ModelRequest, said: readonly Part[], complaint: string, text: string): Verdict {
  const messages = [
    ...request.messages,
    ...(said.length > 0 ? [{ role: 'assistant' as const, parts: said }] : []),
    { role: 'user' as const, parts: [{ type: 'text' as const, text }] },
  ];
  return { ok: false, complaint, repair: { ...request, messages } };
}

/** A call that a model wrote as text, since its server does not know calls, or does not force them. */
function callIn(
  parts: readonly Part[],
  names: readonly string[],
  { messages, tools = [] }: ModelRequest,
): Part | undefined {
  const written = readJson(textIn(parts));
  if (!isObject(written)) return undefined;
  const named = names.find((name) => name === written['name']);
  const [name] = named !== undefined ? [named] : names.length === 1 ? names : [];
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return undefined;
  const values = argumentsIn(written, tool.name);
  if (values === undefined || validateValue(tool.inputSchema, values).length > 0) return undefined;
  const id = uniqueId('call_written', callIds(messages));
  return { type: 'tool_call', id, name: tool.name, arguments: values };
}

/** The arguments in `{ name, arguments }`, or the whole when it is not of that form. */
function argumentsIn(written: Json | undefined, name: string): Json | undefined {
  if (!isObject(written) || written['name'] !== name) return written;
  return written['arguments'] ?? written['parameters'] ?? written;
}

function textIn(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
