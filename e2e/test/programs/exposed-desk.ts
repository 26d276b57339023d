import { createApplication, Type } from '@waymark/server';
import { socketRoute } from './socket-route.ts';

/** An application with one of each unsafe choice, for the security report. */
export const application = createApplication('exposed-desk', { trustProxy: ['0.0.0.0/0'] });
application.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'notes:read'] });
application.apiKey('READER_KEY', 'reader', { scopes: ['notes:raed'] });
application.anonymousScopes('notes:list');
application.cors(['*']);
application.securityHeaders({ enabled: false });

application.get('/', () => 'hello');
application.get('/notes', { scopes: ['notes:list'], tool: true, toolName: 'list_notes' }, () => []);
application.get('/notes/{id}', { scopes: ['notes:read'], input: { id: Type.Integer() } }, ({ id }) => ({
  id,
}));
application.post('/notes', {}, () => undefined);
application.post(
  '/notes/purge',
  { tool: true, toolName: 'purge_notes', approval: 'required' },
  () => undefined,
);
application.post(
  '/notes/burn',
  { tool: true, toolName: 'burn_notes', approval: 'required', scopes: ['notes:burn'] },
  () => undefined,
);
application.put(
  '/archive',
  { scopes: ['notes:read'], maxBodyBytes: Number.POSITIVE_INFINITY },
  () => undefined,
);
application.get('/forever', { scopes: ['notes:read'], timeoutMs: Number.POSITIVE_INFINITY }, () => 1);
application.add(
  socketRoute('/open-feed', {}, (peer) => peer.close()),
  socketRoute('/feed', { scopes: ['notes:read'] }, (peer) => peer.close()),
);
