import { pbkdf2Sync } from 'node:crypto';
import { createApplication } from '@waymark/server';

/** A millisecond and a half of a CPU: what a handler does that is worth a process of its own. */
function work(): string {
  return pbkdf2Sync('word', 'salt', 10_000, 32, 'sha256').toString('hex');
}

/** The application of the benchmark: work that any process may do, the same for the owner, and a camera. */
export const application = createApplication('scale', {
  database: `sqlite://${process.env['DATABASE']}`,
  shutdownTimeout: 2,
})
  .apiKey('BENCH_KEY', 'bench', { scopes: ['devices:ingest', 'devices:read'] })
  .get('/pid', () => process.pid)
  .get('/work', work)
  .get('/owned', { placement: 'owner' }, () => process.pid)
  .get('/owned-work', { placement: 'owner' }, work)
  .camera('door', { maxFps: 1_000 });
