// An application whose runs are followed: `followed-server.ts <models> <folder>`.
import { join } from 'node:path';
import { createApplication } from '@waymark/server';
import { serveParent } from '../child.ts';
import { modelKey } from '../question.ts';
import { followedKey, toolAnswer } from './followed-run.ts';
import type { Used } from './told.ts';
import { used } from './used.ts';

const [, , modelsUrl = '', folder = ''] = process.argv;
const app = createApplication('followed', {
  ...{ port: 0, database: `sqlite://${join(folder, 'followed.db')}`, maxSocketsPerCaller: 2_000 },
  env: { LOG_LEVEL: 'silent', KEY: followedKey, MODEL_KEY: modelKey },
});
const tool = { tool: true, scopes: ['use'] } as const;
app
  .apiKey('KEY', 'reader', { scopes: ['use', 'svc:admin'] })
  .provider('simulator', modelsUrl, { kind: 'anthropic', apiKeyEnv: 'MODEL_KEY' })
  .models({ default: 'simulator/claude-opus-5' });
app.get('/look', { ...tool, toolName: 'look' }, () => toolAnswer);
app.post('/begin', { ...tool, toolName: 'begin', approval: 'required' }, () => 'begun');
app.agent('clerk', { scopes: ['use'], tools: ['look', 'begin'], maxSteps: 1_000 });
const { url } = await app.listen();
serveParent<Used>(await used(url), () => used(url));
