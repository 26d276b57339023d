import { join } from 'node:path';
import { createApplication } from '@waymark/server';
import { startSimulatedCameras } from './simulated-cameras.ts';

const sources = process.env['CAMERAS']?.split(',') ?? (await startSimulatedCameras(4));
const cameras = sources.map((source, i) => ({ name: `camera_${i + 1}`, source }));

export const application = createApplication('camera-wall', {
  templates: join(import.meta.dirname, 'templates'),
})
  .apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin'] })
  .apiKey('VIEWER_KEY', 'viewer', { scopes: ['devices:read'] })
  .securityHeaders({ contentSecurityPolicy: 'pages' })
  .staticFiles('/assets', join(import.meta.dirname, 'public'))
  .page('/', 'wall', { data: cameras.map(({ name }) => ({ name })), bind: 'cameras' });

for (const { name, source } of cameras) application.camera(name, { source, maxFps: 5 });
