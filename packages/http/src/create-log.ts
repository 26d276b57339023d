import type { Log, LogLevel } from '@waymark/contract';
import { destination as openDestination, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { toPrettyLine } from './pretty-line.ts';

/** Where log lines go, and which. */
export interface LogOptions {
  /** The least serious level that is written; `silent` writes nothing. */
  readonly level: LogLevel | 'silent';
  /** Lines for people instead of JSON; false. */
  readonly pretty?: boolean;
  /** Takes whole lines; standard output, in batches. */
  readonly destination?: { write(line: string): unknown };
}

/**
 * Makes a log that writes one JSON object a line: `level`, `time`, `msg`, and the fields. Errors in a field `error` are
 * written with type, message, stack and causes.
 */
export function createLog({ level, pretty = false, destination }: LogOptions): Log {
  // Lines pile up while a write is under way and go out with the next; pino writes the rest when the process exits.
  const output = destination ?? openDestination({ dest: 1, sync: false });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.errWithCause },
    },
    pretty
      ? { write: (line) => void output.write(toPrettyLine(line)) }
      : { write: (line) => void output.write(line) },
  );
  return (at, message, fields) => logger[at](fields ?? {}, message);
}
