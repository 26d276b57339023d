import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';

/** Where servers run. */
export const serverCore = 0;

/** Where their load comes from. */
export const loadCore = 1;

const canPin = availableParallelism() > 1 && has('taskset');

/** The command that runs another one on one core only, where `taskset` is there. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return canPin ? ['taskset', '-c', String(core), ...command] : command;
}

/** Whether a program is installed. */
export function has(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** One line about the machine: numbers belong to it. */
export function machineLine(): string {
  const [first] = cpus();
  const pins = canPin ? `servers on core ${serverCore}, load on core ${loadCore}` : 'nothing pinned';
  return `node ${process.version}, ${availableParallelism()} × ${first?.model ?? process.arch}, ${pins}`;
}
