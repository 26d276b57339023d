// Workflows of Mastra that keep snapshots of their runs in a SQLite file.
import { join } from 'node:path';
import { LibSQLStore } from '@mastra/libsql';
import { makeWorkflows } from './mastra-workflow.mjs';

export const makeWork = (folder) =>
  makeWorkflows(new LibSQLStore({ id: 'bench', url: `file:${join(folder, 'mastra.db')}` }));
