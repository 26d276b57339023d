import { UsageError } from '../output/usage-error.ts';
import type { TypedWord } from './tool-arguments.ts';

/** A command line of `waymark call`, taken apart: its own options, and the words that are for the tool. */
export interface CallLine {
  readonly tool: string;
  readonly as?: string;
  readonly url?: string;
  readonly file?: string;
  readonly 'control-prefix'?: string;
  readonly http: boolean;
  readonly json: boolean;
  /** The JSON text after `--json`. */
  readonly given?: string;
  readonly words: readonly TypedWord[];
}

const withValue = new Set(['as', 'url', 'file', 'control-prefix']);

/**
 * Takes a command line apart. An option that is not ours belongs to the tool; `--` ends ours, for a tool whose
 * parameters are named like them.
 *
 * @throws {UsageError} no tool, two tools, a value that is missing
 */
export function parseCallLine(rawArgs: readonly string[]): CallLine {
  const [tool, ...rest] = rawArgs;
  if (tool === undefined || tool.startsWith('-'))
    throw new UsageError('name the tool first: waymark call get_ticket');
  const own: Record<string, string> = {};
  const words: TypedWord[] = [];
  const flags = { http: false, mcp: false, json: false };
  let ours = true;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    if (word === '--' && ours) {
      ours = false;
      continue;
    }
    const [, name = '', inline] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (name === '') throw new UsageError(`there is nothing to do with "${word}"`);
    const next = rest[i + 1];
    const follows = inline === undefined && next !== undefined && !next.startsWith('--');
    const value = inline ?? (follows ? next : undefined);
    if (ours && Object.hasOwn(flags, name)) {
      flags[name as keyof typeof flags] = true;
      if (name !== 'json' || !value?.trimStart().startsWith('{')) continue;
      own['given'] = value;
    } else if (ours && withValue.has(name)) {
      if (value === undefined || value === '') throw new UsageError(`--${name} needs a value`);
      own[name] = value;
    } else if (value === undefined && /^no-./.test(name)) words.push({ name: name.slice(3), text: false });
    else words.push({ name, text: value });
    if (follows) i++;
  }
  if (flags.http && flags.mcp) throw new UsageError('--http and --mcp exclude each other');
  return { ...own, ...{ tool, words, http: flags.http, json: flags.json } };
}
