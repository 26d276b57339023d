import { inspect } from 'node:util';
import type { Values } from '@waymark/contract';
import type { LogLevel } from '@waymark/contract/engine';
import { errWithCause } from 'pino-std-serializers';

/** Writes one line of the log: a JSON object. Never throws, whatever somebody logs. */
export function toLogLine(level: LogLevel, time: string, message: string, fields: Values = {}): string {
  const members = toText(fields).slice(1, -1);
  const separator = members === '' ? '' : ',';
  return `{"level":"${level}","time":"${time}",${members}${separator}"msg":${JSON.stringify(message)}}\n`;
}

function toText(fields: Values): string {
  const { error } = fields;
  try {
    return JSON.stringify(error === undefined ? fields : { ...fields, error: errWithCause(error as Error) });
  } catch {
    return JSON.stringify(
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value)])),
    );
  }
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
