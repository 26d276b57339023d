import type { Goal } from '../lib/goals.ts';

/** What runs cost that wait for a human. */
export interface Parked {
  /** From the call to the 202, with a model that takes no time; milliseconds. */
  readonly suspendMs: number;
  /** From the decision to the end of the run, milliseconds. */
  readonly resumeMs: number;
  /** The same on a disk that is asked to have written everything. */
  readonly suspendFullMs: number;
  readonly resumeFullMs: number;
  readonly runs: number;
  /** Of the tables of runs, for each run that waits. */
  readonly diskBytes: number;
  /** Of the audit log, beside that. */
  readonly auditBytes: number;
  /** Of all of them together, when everything that can go has gone. */
  readonly heapBytes: number;
  /** CPU time of each second while all of them wait, milliseconds. */
  readonly idleMs: number;
}

/** Shows what was measured. */
export function parkedGoals(parked: Parked): readonly Goal[] {
  const { suspendMs, resumeMs, suspendFullMs, resumeFullMs, runs } = parked;
  const { diskBytes, auditBytes, heapBytes, idleMs } = parked;
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  console.log(
    `\nbeyond the model calls: suspend ${ms(suspendMs)}, resume ${ms(resumeMs)};`,
    `synchronous full: ${ms(suspendFullMs)}, ${ms(resumeFullMs)}`,
  );
  console.log(
    `${runs} runs that wait: ${Math.round(diskBytes)} bytes of disk each, and ${Math.round(auditBytes)} of the audit log;`,
    `${Math.round(heapBytes / 1024)} KiB of heap in all, ${idleMs.toFixed(2)} ms of CPU a second`,
  );
  const least = (name: string, measured: number, target: number, unit: string): Goal => ({
    ...{ name, measured, op: '<=', target, unit },
  });
  return [
    least('agents-suspend', suspendMs, 1, 'ms'),
    least('agents-resume', resumeMs, 1, 'ms'),
    least('agents-resume-full', resumeFullMs, 3, 'ms'),
    least('agents-parked-disk', diskBytes, 4096, 'bytes'),
    least('agents-parked-heap', heapBytes, 1_048_576, 'bytes'),
    least('agents-parked-idle', idleMs, 1, 'ms'),
  ];
}
