import { toVisible } from '@waymark/contract/text';

/** The members that have a place of their own. */
interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  /** Serialised; anything may have been thrown. */
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

/**
 * Turns a JSON log line into one for a person: `12:04:31 info  request  method=GET path=/ status=200`, the stack of an
 * error on the lines below.
 *
 * What a caller may have chosen (a path, an id) stays one visible word: control characters, and what cannot be seen, are
 * escaped, so nobody can write lines or colours of their own into the terminal.
 */
export function toPrettyLine(json: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(json) as Line;
  const words = Object.entries(fields).map(([name, value]) => `${name}=${toWord(value)}`);
  const head = [time.slice(11, 19), level.padEnd(5), visible(msg), ...words].join(' ');
  const below = error === undefined ? '' : `\n${indent(errorText(error))}`;
  return `${head}${below}\n`;
}

function toWord(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? visible(text) : visible(JSON.stringify(text));
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  const { stack } = (error ?? {}) as { readonly stack?: unknown };
  return typeof stack === 'string' ? stack : JSON.stringify(error);
}

function indent(stack: string): string {
  return stack
    .split('\n')
    .map((line) => `    ${visible(line)}`)
    .join('\n');
}

/** What is kept in texts of more than one line. */
const controls = /\p{Cc}/gu;

function visible(text: string): string {
  return toVisible(text).replace(
    controls,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
