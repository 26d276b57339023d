// The application as anybody writes it: `waymark.ts open | guarded | express`.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApplication, Type } from '@waymark/server';
import { announce } from '../../lib/announce.ts';
import { key } from '../calls.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const [, , form] = process.argv;

const app = createApplication('bench', { port: 0, env: { ...process.env, KEY: key } });
app.post(
  '/echo',
  {
    tool: true,
    toolName: 'echo',
    summary: 'Gives back a text.',
    input: { text: Type.String() },
    output: Type.Object({ text: Type.String() }),
    scopes: form === 'guarded' ? ['echo'] : [],
  },
  ({ text }) => ({ text }),
);
app.get('/heap', () => {
  collect();
  return process.memoryUsage().heapUsed;
});
if (form === 'guarded') app.apiKey('KEY', 'bench', { scopes: ['svc:admin', 'echo'] });
// With middleware of its own, an application is served from inside express.
if (form === 'express') app.use((_req, _res, next) => next());
const { url } = await app.listen();
announce(url);
