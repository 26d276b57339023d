import { Refusal } from '../reply/refusal.ts';
import { endOfString } from './scan-directives.ts';

/** One value of a directive: a word, or JSON; `key` is what stood before its `=`. */
export interface ScriptValue {
  readonly key: string | undefined;
  readonly value: unknown;
  /** False for a word. */
  readonly json: boolean;
}

/**
 * Reads what follows the verb of a directive: words, JSON values, `key=word` and `key=JSON`, parted by spaces, commas
 * or bars.
 */
export function readValues(rest: string): ScriptValue[] {
  const values: ScriptValue[] = [];
  let at = 0;
  while (at < rest.length) {
    if (/[\s,|]/.test(rest.charAt(at))) {
      at++;
      continue;
    }
    const key = /^([a-z_][a-z0-9_-]*)=/i.exec(rest.slice(at, at + 80))?.[1];
    if (key !== undefined) at += key.length + 1;
    const json = /[[{"]/.test(rest.charAt(at));
    const end = json ? endOfJson(rest, at) : at + (/^[^\s,|{]*/.exec(rest.slice(at))?.[0].length ?? 0);
    if (end === at && key === undefined) throw wrongScript(`cannot read ${rest.slice(at, at + 40)}`);
    const text = rest.slice(at, end);
    values.push({ key, value: json ? parseJson(text) : text, json });
    at = end;
  }
  return values;
}

/** The refusal of a request whose script cannot be followed. */
export function wrongScript(message: string): Refusal {
  return new Refusal({ status: 400, message: `the script in the prompt is wrong: ${message}` });
}

/** JSON of a script. @throws {Refusal} that shows the text */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongScript(`not JSON: ${text.slice(0, 200)}`);
  }
}

function endOfJson(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start) + 1;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if ('[{'.includes(character)) depth++;
    else if (']}'.includes(character) && --depth === 0) return at + 1;
  }
  return text.length;
}
