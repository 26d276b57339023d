import { isObject, type JsonObject, objectsOf } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { checkMessages } from './check-messages.ts';
import { checkParameters } from './check-parameters.ts';
import { checkQuirks } from './check-quirks.ts';
import { checkStrictSchema } from './check-strict-schema.ts';
import { refuse } from './refuse.ts';

/** Checks a body as strictly as the service does, and then as its quirks want. @throws {Refusal} */
export function checkRequest(body: JsonObject, quirks: ReadonlySet<Quirk>): void {
  checkQuirks(body, quirks);
  if (typeof body['model'] !== 'string' || body['model'] === '') {
    throw refuse('you must provide a model parameter');
  }
  checkParameters(body);
  checkMessages(body['messages'], quirks);
  checkTools(body);
  checkToolChoice(body);
  checkResponseFormat(body);
}

function checkTools({ tools }: JsonObject): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools))
    throw refuse("Invalid type for 'tools': expected an array.", 'tools', 'invalid_type');
  if (tools.length === 0) {
    throw refuse(
      "Invalid 'tools': empty array. Expected an array with minimum length 1.",
      'tools',
      'empty_array',
    );
  }
  if (tools.length > 128) {
    throw refuse("Invalid 'tools': array too long. Expected an array with maximum length 128.", 'tools');
  }
  tools.forEach((tool: unknown, index) => {
    const at = `tools[${index}]`;
    if (!isObject(tool) || tool['type'] !== 'function' || !isObject(tool['function'])) {
      throw refuse(
        `Missing required parameter: '${at}.function'.`,
        `${at}.function`,
        'missing_required_parameter',
      );
    }
    const { name, parameters, strict } = tool['function'];
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      const pattern =
        "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$', of 64 characters at most.";
      throw refuse(`Invalid '${at}.function.name'. ${pattern}`, `${at}.function.name`, 'invalid_value');
    }
    if (parameters === undefined) return;
    if (!isObject(parameters) || (parameters['type'] !== 'object' && Object.keys(parameters).length > 0)) {
      const problem = `schema must be a JSON Schema of 'type: "object"'`;
      throw invalidSchema(`function '${name}'`, problem, `${at}.function.parameters`);
    }
    const problem = strict === true ? checkStrictSchema(parameters) : undefined;
    if (problem) throw invalidSchema(`function '${name}'`, problem, `${at}.function.parameters`);
  });
}

function checkToolChoice({ tools, tool_choice: choice, parallel_tool_calls: parallel }: JsonObject): void {
  if (tools === undefined && parallel !== undefined) {
    throw refuse("'parallel_tool_calls' is only allowed when 'tools' are specified.", 'parallel_tool_calls');
  }
  if (choice === undefined || choice === 'none') return;
  if (tools === undefined)
    throw refuse("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
  if (choice === 'auto' || choice === 'required') return;
  const chosen = isObject(choice) && choice['type'] === 'function' ? choice['function'] : undefined;
  const name = isObject(chosen) ? chosen['name'] : undefined;
  if (typeof name !== 'string') {
    throw refuse(
      `Invalid value: ${JSON.stringify(choice)}. Supported values are: 'none', 'auto', and 'required'.`,
      'tool_choice',
      'invalid_value',
    );
  }
  const names = objectsOf(tools).map(({ function: tool }) => (isObject(tool) ? tool['name'] : undefined));
  if (!names.includes(name)) {
    throw refuse(`Tool choice '${name}' not found in 'tools' parameter.`, 'tool_choice');
  }
}

function checkResponseFormat({ response_format: format, messages }: JsonObject): void {
  if (format === undefined) return;
  const type = isObject(format) ? format['type'] : undefined;
  if (type === 'text') return;
  if (type === 'json_object') {
    if (/json/i.test(JSON.stringify(messages))) return;
    const message =
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
    throw refuse(message, 'messages');
  }
  const at = 'response_format.json_schema';
  const given = isObject(format) && type === 'json_schema' ? format['json_schema'] : undefined;
  if (!isObject(given))
    throw refuse(`Missing required parameter: '${at}'.`, at, 'missing_required_parameter');
  const { name, schema, strict } = given;
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw refuse(
      `Invalid '${at}.name': expected 1 to 64 letters, digits, _ and -.`,
      `${at}.name`,
      'invalid_value',
    );
  }
  if (!isObject(schema))
    throw refuse(`Missing required parameter: '${at}.schema'.`, `${at}.schema`, 'missing_required_parameter');
  const problem = strict === true ? checkStrictSchema(schema) : undefined;
  if (problem) throw invalidSchema(`response_format '${name}'`, problem, 'response_format');
}

function invalidSchema(where: string, problem: string, param: string) {
  return refuse(`Invalid schema for ${where}: ${problem}.`, param, 'invalid_function_parameters');
}
