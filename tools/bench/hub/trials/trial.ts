import type { Goal } from '../../lib/goals.ts';
import type { LoadProcess } from '../load-process.ts';

/** What a trial is given. */
export interface TrialOptions {
  readonly load: LoadProcess;
  readonly rounds: number;
  /** Of each contestant in each round. */
  readonly seconds: number;
}

/** Measures, shows a table, and gives the goals it is about. */
export type Trial = (options: TrialOptions) => Promise<readonly Goal[]>;

/** Shows a table: the first column is names. */
export function printTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const table = [[title, ...columns], ...rows];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0))) ?? [];
  console.log();
  for (const row of table)
    console.log(
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  '),
    );
}
