import type { Program } from './program.ts';

/** A line of the log of a server. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** What a program has logged so far; all else that it said is left out. */
export function logLines(program: Program): readonly LogLine[] {
  return program
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);
}
