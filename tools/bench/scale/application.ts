import { pbkdf2Sync } from 'node:crypto';
import { createApplication } from '@waymark/server';

/** The application of the benchmark: work that any process may do, a call of the owner, and a camera. */
export const application = createApplication('scale', {
  database: `sqlite://${process.env['DATABASE']}`,
  shutdownTimeout: 2,
})
  .apiKey('BENCH_KEY', 'bench', { scopes: ['devices:ingest', 'devices:read'] })
  .get('/pid', () => process.pid)
  // About a millisecond: what is measured is the server, not who asks it.
  .get('/work', () => pbkdf2Sync('word', 'salt', 2_000, 32, 'sha256').toString('hex'))
  .get('/owned', { placement: 'owner' }, () => process.pid)
  .camera('door', { maxFps: 1_000 });
