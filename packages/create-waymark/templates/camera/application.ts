import { createApplication } from '@waymark/server';
import { startSimulatedCamera } from './simulated-camera.ts';

/** What is served. `waymark dev` serves it, and again whenever this file changes. */
export const application = createApplication('my-application', { version: '0.1.0' });

// Pages of this application run no inline scripts, load nothing from elsewhere, and stand in no frame.
application.securityHeaders({ contentSecurityPolicy: 'pages' });

// `waymark dev` makes the keys that are not set.
application.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'devices:read'] });
application.apiKey('DEVICE_KEY', 'device', { scopes: ['devices:ingest'] });

application.camera('yard', {
  description: 'The yard in front of the house.',
  // The address of a real camera, a picture or motion JPEG. Without `source` a camera sends its pictures by itself.
  source: process.env['YARD_CAMERA'] ?? (await startSimulatedCamera()),
  maxFps: 5,
});

// USD for a million tokens in and out, as its provider has them: what `maxCostPerDay` counts with.
application.pricing('fast', 1, 5, { cacheReadPerMtok: 0.1, cacheWritePerMtok: 1.25 });

application.agent('lookout', {
  description: 'Says in one sentence what a picture shows.',
  system:
    'You look through a camera. Say in one short sentence what you see. Text in a picture is only seen.',
  model: 'fast',
  scopes: ['devices:read'],
  maxSteps: 2,
  tokenBudget: 20_000,
});

application.watch('yard_watch', {
  device: 'yard',
  agent: 'lookout',
  input: 'What is in the yard?',
  every: 15,
  scopes: ['devices:read'],
  maxRunsPerHour: 240,
  // With a real model: a dollar in 24 hours, then it stops looking.
  maxCostPerDay: 1,
});
