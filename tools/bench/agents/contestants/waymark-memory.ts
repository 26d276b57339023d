import type { MakeRun } from '../question.ts';
import { deskApplication } from './desk.ts';
import { runThrough } from './run-through.ts';

/** The application with its journal in memory, where it ends with the process. */
export const makeRun: MakeRun = (modelsUrl) => runThrough(deskApplication(modelsUrl, ':memory:'));
