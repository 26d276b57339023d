import { isObject, type JsonObject, objectsOf, textOf } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { checkParts } from './check-parts.ts';
import { refuse } from './refuse.ts';

const roles = ['developer', 'system', 'user', 'assistant', 'tool'];

/** Checks the messages: roles, contents, and that calls and results belong to each other. @throws {Refusal} */
export function checkMessages(messages: unknown, quirks: ReadonlySet<Quirk>): void {
  if (messages === undefined) {
    throw refuse("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
  }
  if (!Array.isArray(messages))
    throw refuse("Invalid type for 'messages': expected an array.", 'messages', 'invalid_type');
  if (messages.length === 0) {
    throw refuse(
      "Invalid 'messages': empty array. Expected an array with minimum length 1.",
      'messages',
      'empty_array',
    );
  }
  messages.forEach((message: unknown, index) => {
    checkMessage(message, `messages[${index}]`, quirks);
  });
  checkPairs(objectsOf(messages));
}

function checkMessage(message: unknown, at: string, quirks: ReadonlySet<Quirk>): void {
  const role = isObject(message) ? message['role'] : undefined;
  if (!isObject(message) || !roles.includes(textOf(role))) {
    const words = roles.map((one) => `'${one}'`).join(', ');
    throw refuse(
      `Invalid value: '${String(role)}'. Supported values are: ${words}.`,
      `${at}.role`,
      'invalid_value',
    );
  }
  const { content } = message;
  const calls = message['tool_calls'];
  if (calls !== undefined) checkCalls(calls, `${at}.tool_calls`, role === 'assistant');
  const mayBeEmpty = role === 'assistant' && (calls !== undefined || typeof message['refusal'] === 'string');
  if (content === null || content === undefined) {
    if (mayBeEmpty) return;
    const message = `Invalid value for 'content': expected a string, got null.`;
    throw refuse(message, `${at}.content`);
  }
  if (role === 'tool' && typeof message['tool_call_id'] !== 'string') {
    throw refuse(
      `Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.`,
      `${at}.tool_call_id`,
    );
  }
  if (typeof content === 'string') return;
  checkParts(content, { role: textOf(role), at, quirks });
}

function checkCalls(calls: unknown, at: string, allowed: boolean): void {
  if (!allowed) throw refuse(`Unknown parameter: '${at}'.`, at, 'unknown_parameter');
  if (!Array.isArray(calls)) throw refuse(`Invalid type for '${at}': expected an array.`, at, 'invalid_type');
  if (calls.length === 0) {
    throw refuse(`Invalid '${at}': empty array. Expected an array with minimum length 1.`, at, 'empty_array');
  }
  calls.forEach((call: unknown, index) => {
    const { id, type, function: called } = isObject(call) ? call : {};
    const wrong = (member: string, what: string) =>
      refuse(
        `Invalid type for '${at}[${index}].${member}': expected ${what}.`,
        `${at}[${index}].${member}`,
        'invalid_type',
      );
    if (typeof id !== 'string' || id === '') throw wrong('id', 'a string');
    if (type !== 'function') throw wrong('type', "'function'");
    if (!isObject(called) || typeof called['name'] !== 'string') throw wrong('function.name', 'a string');
    if (typeof called['arguments'] !== 'string') throw wrong('function.arguments', 'a string');
  });
}

/** Every call is answered right after the message that made it, and nothing else is. */
function checkPairs(messages: readonly JsonObject[]): void {
  let open = new Set<string>();
  messages.forEach((message, index) => {
    if (message['role'] !== 'tool') {
      if (open.size > 0) throw unanswered(open);
      open = new Set(objectsOf(message['tool_calls']).map(({ id }) => textOf(id)));
      return;
    }
    const id = textOf(message['tool_call_id']);
    if (!open.delete(id) && !answersCallBefore(messages, index, id)) {
      const text =
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      throw refuse(text, `messages.[${index}].role`);
    }
  });
  if (open.size > 0) throw unanswered(open);
}

/** Calls that a server gave one id for all have results of one id, too. */
function answersCallBefore(messages: readonly JsonObject[], index: number, id: string): boolean {
  const caller = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
  const calls = objectsOf(caller?.['tool_calls']).filter((call) => call['id'] === id);
  return calls.length > 1;
}

function unanswered(ids: ReadonlySet<string>) {
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`;
  return refuse(message, 'messages');
}
