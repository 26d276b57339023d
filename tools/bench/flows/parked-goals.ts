import type { Goal } from '../lib/goals.ts';

/** What nested and long runs cost that wait for a human. */
export interface Parked {
  readonly runs: number;
  /** Of the tables of runs, for each run of three levels. */
  readonly nestedBytes: number;
  /** Of the audit log, beside that. */
  readonly auditBytes: number;
  /** From the decision to the end of a behaviour of so many steps, milliseconds. */
  readonly resume50Ms: number;
  readonly resume1000Ms: number;
}

/** Shows what was measured. */
export function parkedGoals({
  runs,
  nestedBytes,
  auditBytes,
  resume50Ms,
  resume1000Ms,
}: Parked): readonly Goal[] {
  console.log(
    `\n${runs} runs of an agent, a flow and a behaviour that wait: ${Math.round(nestedBytes)} bytes of disk each,`,
    `and ${Math.round(auditBytes)} of the audit log`,
  );
  const least = (name: string, measured: number, target: number, unit: string): Goal => ({
    ...{ name, measured, op: '<=', target, unit },
  });
  return [
    least('flows-parked-disk', nestedBytes, 4096, 'bytes'),
    least('flows-resume-50-steps', resume50Ms, 5, 'ms'),
    least('flows-resume-1000-steps', resume1000Ms, 20, 'ms'),
  ];
}
