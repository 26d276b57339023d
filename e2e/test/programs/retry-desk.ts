import { createApplication } from '@waymark/server';
import { declareRetries } from '../retry-desk.ts';

const { DATABASE, TOOLS = '', MODELS = '', BACKOFF } = process.env;

/** The application whose tool is called again, for `waymark start`. */
export const application = declareRetries(
  createApplication('retry', { database: `sqlite://${DATABASE}` }).apiKey('DESK_KEY', 'desk', {
    scopes: ['use', 'svc:admin'],
  }),
  { tools: TOOLS, models: MODELS, backoffMs: Number(BACKOFF) },
);
