import { inspect } from 'node:util';
import type { Values } from '@waymark/contract';
import type { LogLevel } from '@waymark/contract/engine';
import { errWithCause } from 'pino-std-serializers';

/** Of a line that is longer the texts are cut: a reader may not get to its end before the process does. */
const longLine = 65_536;
const longText = 8_192;

/** Writes one line of the log: a JSON object. Never throws, whatever somebody logs. */
export function toLogLine(level: LogLevel, time: string, message: string, fields: Values = {}): string {
  const members = toText(fields).slice(1, -1);
  const separator = members === '' ? '' : ',';
  return `{"level":"${level}","time":"${time}",${members}${separator}"msg":${JSON.stringify(message)}}\n`;
}

function toText(fields: Values): string {
  const { error } = fields;
  try {
    const told = error === undefined ? fields : { ...fields, error: errWithCause(error as Error) };
    const text = JSON.stringify(told);
    return text.length > longLine ? JSON.stringify(told, cut) : text;
  } catch {
    return JSON.stringify(
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value)])),
    );
  }
}

function cut(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= longText) return value;
  return `${value.slice(0, longText)}… (${value.length} characters)`;
}

/** What JSON cannot hold (a cycle, a BigInt) is shown as node shows it. */
function shown(value: unknown): unknown {
  try {
    JSON.stringify(value);
    return value instanceof Error ? inspect(value) : value;
  } catch {
    return inspect(value);
  }
}
