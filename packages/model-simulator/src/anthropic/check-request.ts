import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, objectsOf } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { checkCacheMarks } from './check-cache-marks.ts';
import { checkClosedSchema } from './check-closed-schema.ts';
import { checkMessages } from './check-messages.ts';
import { checkParameters } from './check-parameters.ts';
import { isNewVersion } from './check-version.ts';
import { refuse } from './refuse.ts';

/** Checks a body as strictly as the service does, and then as its quirks want. @throws {Refusal} */
export function checkRequest(
  body: JsonObject,
  quirks: ReadonlySet<Quirk>,
  headers: IncomingHttpHeaders,
): void {
  checkParameters(body, quirks, isNewVersion(headers));
  checkMessages(body['messages'], quirks, isNewVersion(headers));
  checkTools(body['tools']);
  checkToolChoice(body);
  checkOutput(body['output_config']);
  checkCacheMarks(body);
}

function checkTools(tools: unknown): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) throw refuse('tools: Input should be a valid list');
  const names = new Set<string>();
  tools.forEach((tool: unknown, index) => {
    const at = `tools.${index}`;
    if (!isObject(tool)) throw refuse(`${at}: Input should be a valid dictionary`);
    const { name, input_schema: schema, type } = tool;
    // Tools of the service itself have a type and no schema of ours.
    if (typeof type === 'string' && type !== 'custom') return;
    if (name === undefined) throw refuse(`${at}.custom.name: Field required`);
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      throw refuse(`${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    }
    if (names.has(name)) throw refuse('tools: Tool names must be unique.');
    names.add(name);
    if (!isObject(schema)) throw refuse(`${at}.custom.input_schema: Field required`);
    if (schema['type'] === undefined) throw refuse(`${at}.custom.input_schema.type: Field required`);
    if (schema['type'] !== 'object') throw refuse(`${at}.custom.input_schema.type: Input should be 'object'`);
  });
}

function checkToolChoice({ tools, tool_choice: choice, thinking }: JsonObject): void {
  if (choice === undefined) return;
  const type = isObject(choice) ? choice['type'] : undefined;
  if (!isObject(choice) || !['auto', 'any', 'tool', 'none'].includes(String(type))) {
    throw refuse(
      `tool_choice: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    );
  }
  const offered = objectsOf(tools);
  if (offered.length === 0) throw refuse('tool_choice: may only be specified while providing `tools`.');
  if (type === 'tool' && choice['name'] === undefined) throw refuse('tool_choice.tool.name: Field required');
  if (type === 'tool' && !offered.some(({ name }) => name === choice['name'])) {
    throw refuse(`Tool '${String(choice['name'])}' not found in provided tools`);
  }
  const thinks = isObject(thinking) && thinking['type'] === 'enabled';
  if (thinks && (type === 'any' || type === 'tool')) {
    throw refuse('Thinking may not be enabled when tool_choice forces tool use.');
  }
}

function checkOutput(config: unknown): void {
  const format = isObject(config) ? config['format'] : undefined;
  if (!isObject(format)) return;
  if (format['type'] !== 'json_schema')
    throw refuse("output_config.format.type: Input should be 'json_schema'");
  if (!isObject(format['schema'])) throw refuse('output_config.format.schema: Field required');
  const problem = checkClosedSchema(format['schema']);
  if (problem) throw refuse(`output_config.format.schema: ${problem}`);
}
