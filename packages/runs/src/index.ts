export { createRunner, type StartableRunner } from './create-runner.ts';
export type { RunnerOptions } from './options.ts';
