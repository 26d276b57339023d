import type { ModelRequest, ModelTool } from '@waymark/contract/models';
import { toPart } from '@waymark/contract/schema';
import type { Provider } from '../catalog/catalog.ts';
import { formatOf } from '../formats.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Adaptation } from '../wire/adaptations.ts';

/** How a request is put to a model, and what that means for its reply. */
export interface Plan {
  readonly request: ModelRequest;
  /**
   * How the answer to a schema is got: the provider keeps to it, a tool has it as its input, or the model is asked for
   * it in words. Undefined without a schema.
   */
  readonly schemaBy: 'provider' | 'tool' | 'words' | undefined;
}

/** The tool whose input is the answer. */
export const answerTool = 'answer';

/** Chooses how a schema is put to a model: by the provider itself, else by a forced tool, else in words. */
export function planRequest(
  request: ModelRequest,
  provider: Provider,
  adaptations: ReadonlySet<Adaptation>,
): Plan {
  const { schema, ...rest } = request;
  if (schema === undefined) return { request, schemaBy: undefined };
  const wrapped = wrapSchema(schema);
  const takesSchemas = !adaptations.has('no_response_format') && formatOf(provider.kind).takesSchema(wrapped);
  if (takesSchemas) return { request: { ...request, schema: wrapped }, schemaBy: 'provider' };
  // Where the model may call other tools, none can be forced.
  if ((request.tools ?? []).length > 0)
    return { request: { ...rest, messages: [...rest.messages, inWords(schema)] }, schemaBy: 'words' };
  const tool: ModelTool = { name: answerTool, description: 'Gives the answer.', inputSchema: wrapped };
  return { request: { ...rest, tools: [tool], toolChoice: { tool: answerTool } }, schemaBy: 'tool' };
}

/** Asks for JSON in words. */
export function inWords(schema: object, complaint = ''): ModelRequest['messages'][number] {
  const text = `${complaint}Answer with JSON alone, of this schema:\n${JSON.stringify(schema)}`;
  return { role: 'user', parts: [{ type: 'text', text }] };
}

/** Whether providers take a schema as it is; they want objects. */
export function isObjectSchema(schema: object): boolean {
  return (schema as JsonObject)['type'] === 'object';
}

/** A schema of anything, as the member `value` of an object. Its definitions move up, where references look for them. */
function wrapSchema(schema: object): object {
  if (isObjectSchema(schema)) return schema;
  const { $defs, ...value } = toPart(schema, 'value') as JsonObject;
  return {
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
    ...(isObject($defs) && { $defs }),
  };
}
