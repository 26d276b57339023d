import { join } from 'node:path';
import type { MakeRun } from '../question.ts';
import { deskApplication } from './desk.ts';
import { runThrough } from './run-through.ts';

/** The application with every default, and its journal in a file. */
export const makeRun: MakeRun = (modelsUrl, folder) =>
  runThrough(deskApplication(modelsUrl, `sqlite://${join(folder, 'waymark.db')}`));
