/** Devices that several instances of one service share: whichever is asked, it is the same yard. */
import { createApplication } from '@waymark/server';

const application = createApplication('shared-yard', {
  hub: { cameraPresence: { staleAfterMs: 2_000, offlineAfterMs: 4_000 } },
});

application
  .apiKey('YARD_KEY', 'yard', { scopes: ['svc:admin', 'devices:ingest', 'devices:read'] })
  .camera('door', { maxFps: 1_000 })
  .camera('hall', { maxFps: 1_000 })
  .camera('stairs', { maxFps: 1_000 })
  .camera('gate', { source: process.env['CAMERA'] ?? 'http://127.0.0.1:9/', maxFps: 5 })
  .sensor('thermo');

if (process.env['LIMITED'] === 'yes') application.rateLimit(0.001, { burst: 10 });

export { application };
