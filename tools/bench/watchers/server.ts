// The server, with watchers or without: `server.ts 200 http://127.0.0.1:…`.
import { createApplication } from '@waymark/server';
import { announce } from '../lib/announce.ts';
import { cameraName, cameras, fps, keys, lively, watchersPerCamera } from './yard.ts';

const [watchers = '0', models = ''] = process.argv.slice(2);
const env = { INGEST_KEY: keys.ingest, READ_KEY: keys.read, LOG_LEVEL: 'silent' };
const app = createApplication('yard', { port: 0, env })
  .apiKey('INGEST_KEY', 'camera', { scopes: ['devices:ingest'] })
  .apiKey('READ_KEY', 'reader', { scopes: ['devices:read'] })
  .provider('simulator', models, { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5' })
  .pricing('default', 0, 0)
  .agent('guard', { system: 'You tell what you see.', scopes: ['devices:read'] });
for (let n = 0; n < cameras; n++) app.camera(cameraName(n), { maxFps: 2 * fps, keep: 2 });
for (let n = 0; n < Number(watchers); n++) {
  const camera = n % cameras;
  // As often as the default ceiling allows 200 watchers: 3.3 runs a second in all.
  const every = camera < lively ? lively * watchersPerCamera * 0.3 : 1;
  app.watch(`watch_${n}`, {
    ...{ device: cameraName(camera), agent: 'guard', input: 'What moved?', every },
    ...{ scopes: ['devices:read'], maxRunsPerHour: 36_000 },
  });
}
const { url } = await app.listen();
announce(url);
