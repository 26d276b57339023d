export { createRunner, type StartableRunner } from './create-runner.ts';
export type { AskedApproval, RunFigures, RunNotices } from './notices.ts';
export type { RunnerOptions } from './options.ts';
