import { isObject, type JsonObject } from '../json.ts';
import { isQuirk } from '../quirks.ts';
import type { Directive, EchoSubject, Failure, ScriptedCall, UsageSetting } from './directive.ts';
import { parseJson, readValues, type ScriptValue, wrongScript } from './read-values.ts';

type Parser = (rest: string) => Directive;

const parsers: Readonly<Record<string, Parser>> = {
  say: (text) => ({ kind: 'say', text }),
  call: (rest) => ({ kind: 'call', calls: parseCalls(rest) }),
  calls: (rest) => ({ kind: 'call', calls: parseCalls(rest) }),
  handoff: parseHandoff,
  json: (rest) => ({ kind: 'json', value: parseJson(rest) }),
  echo: (rest) => ({ kind: 'echo', of: oneOf<EchoSubject>(rest || 'all', echoSubjects) }),
  images: () => ({ kind: 'images' }),
  size: (rest) => ({ kind: 'size', bytes: toSize(rest) }),
  thinking: (text) => ({ kind: 'thinking', text }),
  block: (rest) => ({ kind: 'block', value: toObject(parseJson(rest)) }),
  refuse: (text) => ({ kind: 'refuse', text: text || 'I cannot help with that.' }),
  pause: (text) => ({ kind: 'pause', text: text || 'One moment.' }),
  stop: (rest) => ({ kind: 'stop', cause: oneOf(rest, ['length', 'content_filter', 'context_window']) }),
  auto: () => ({ kind: 'auto' }),

  error: parseError,
  hang: (rest) => ({ kind: 'hang', ...failureOptions(rest, ['times', 'after']) }),
  cut: (rest) => {
    const { times, after } = failureOptions(rest, ['times', 'after']);
    return { kind: 'cut', times, after: after ?? 1 };
  },
  malformed: (rest) => {
    const word = readValues(rest).find(({ key }) => key === undefined)?.value ?? 'json';
    return {
      kind: 'malformed',
      times: failureOptions(rest, ['times']).times,
      form: oneOf(String(word), ['json', 'html', 'empty', 'shape']),
    };
  },

  latency: (rest) => ({ kind: 'latency', ms: toCount(rest) }),
  pace: (rest) => ({ kind: 'pace', ms: toCount(rest) }),
  usage: (rest) => ({ kind: 'usage', usage: parseUsage(rest) }),
  quirk: (rest) => ({ kind: 'quirk', quirks: wordsOf(rest).map(toQuirk) }),
  window: (rest) => ({ kind: 'window', tokens: toCount(rest) }),
  repeat: () => ({ kind: 'repeat' }),
};

const echoSubjects: readonly EchoSubject[] = ['all', 'system', 'tools', 'messages', 'results', 'parameters'];

/** The largest reply that `[[size …]]` makes. */
const maxReplyBytes = 64 * 1024 * 1024;

/** The first words of directives. */
export const verbs: ReadonlySet<string> = new Set(Object.keys(parsers));

/** Reads one directive. @throws {Refusal} saying what is wrong with it */
export function parseDirective(verb: string, rest: string): Directive {
  const parse = parsers[verb];
  if (!parse) throw wrongScript(`there is no directive ${verb}`);
  return parse(rest);
}

/** `name {…}` as often as wanted; a name without arguments has none. */
function parseCalls(rest: string): ScriptedCall[] {
  const calls: ScriptedCall[] = [];
  for (const { value, json } of readValues(rest)) {
    const last = calls.at(-1);
    if (!json) calls.push({ name: String(value), arguments: {} });
    else if (last) calls[calls.length - 1] = { name: last.name, arguments: toArguments(value) };
    else throw wrongScript(`a call begins with the name of a tool: ${rest.slice(0, 80)}`);
  }
  if (calls.length === 0) throw wrongScript('a call needs the name of a tool');
  return calls;
}

function parseHandoff(rest: string): Directive {
  const [name = '', ...reason] = rest.split(' ');
  if (name === '') throw wrongScript('a handoff needs the name of an agent');
  const values = { reason: reason.join(' ') || `${name} is in charge` };
  return { kind: 'call', calls: [{ name: `transfer_to_${name}`, arguments: values }] };
}

function parseError(rest: string): Failure {
  const values = readValues(rest);
  const named = (key: string) => values.find((value) => value.key === key)?.value;
  const status = Number(values.find(({ key }) => key === undefined)?.value);
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw wrongScript(`an error has a status from 400 to 599: ${rest.slice(0, 40)}`);
  }
  const allowed = ['times', 'after', 'type', 'code', 'message', ...retryHeaders];
  const headers = values.filter(({ key }) => key !== undefined && retryHeaders.includes(key));
  const wrong = headers.find(({ value }) => !/^[\x20-\x7e]*$/.test(String(value)));
  if (wrong) throw wrongScript(`not a header: ${String(wrong.value)}`);
  return {
    kind: 'error',
    status,
    ...failureOptions(rest, allowed),
    type: optionalText(named('type')),
    code: optionalText(named('code')),
    message: optionalText(named('message')),
    headers: Object.fromEntries(headers.map(({ key, value }) => [String(key), String(value)])),
  };
}

const retryHeaders: readonly string[] = ['retry-after', 'retry-after-ms', 'x-should-retry'];

function failureOptions(rest: string, allowed: readonly string[]): { times: number; after: number | null } {
  const values = readValues(rest);
  const wrong = values.find(({ key }) => key !== undefined && !allowed.includes(key));
  if (wrong) throw wrongScript(`there is no ${wrong.key}=, there is ${allowed.join(', ')}`);
  const count = (name: string) => {
    const found: ScriptValue | undefined = values.find(({ key }) => key === name);
    return found && toCount(String(found.value));
  };
  return { times: count('times') ?? Number.POSITIVE_INFINITY, after: count('after') ?? null };
}

function parseUsage(rest: string): UsageSetting {
  const usage: { -readonly [K in keyof UsageSetting]: UsageSetting[K] } = { form: 'counted' };
  for (const { key, value } of readValues(rest)) {
    if (key === undefined) usage.form = oneOf(String(value), ['none', 'null', 'odd']);
    else usage[oneOf(key, ['input', 'output', 'cached', 'written', 'thinking'])] = toCount(String(value));
  }
  return usage;
}

function toQuirk(word: string) {
  if (!isQuirk(word)) throw wrongScript(`there is no quirk ${word}`);
  return word;
}

function wordsOf(rest: string): string[] {
  return rest.split(/[\s,|]+/).filter((word) => word !== '');
}

function toSize(rest: string): number {
  const bytes = toCount(rest);
  if (bytes > maxReplyBytes) throw wrongScript(`a reply has ${maxReplyBytes} bytes at most`);
  return bytes;
}

function toCount(rest: string): number {
  const count = Number(rest);
  if (rest === '' || !Number.isInteger(count) || count < 0) throw wrongScript(`not a count: ${rest}`);
  return count;
}

function toObject(value: unknown): JsonObject {
  if (!isObject(value)) throw wrongScript(`not a JSON object: ${JSON.stringify(value)}`);
  return value;
}

function toArguments(value: unknown): JsonObject | string {
  return typeof value === 'string' ? value : toObject(value);
}

function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

function oneOf<Word extends string>(word: string, words: readonly Word[]): Word {
  const found = words.find((known) => known === word);
  if (found === undefined) throw wrongScript(`${word || 'nothing'} is none of ${words.join(', ')}`);
  return found;
}
