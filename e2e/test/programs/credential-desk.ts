import { createApplication, runUntilSignal, Type } from '@waymark/server';
import { socketRoute } from './socket-route.ts';

/** An application with every kind of credential and every kind of door, as a process of its own. */
const app = createApplication('credential-desk', {
  port: 0,
  // The corpus is nothing but failures.
  failureLimit: { perSecond: 1_000_000, burst: 1_000_000 },
});
app.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'notes:read'] });
app.apiKey('READER_KEY', 'reader', { scopes: ['notes:read'] });
app.jwt('JWT_SECRET', { subjectPrefix: '' });
app.jwt('JWT_PEM', { algorithm: 'RS256', subjectPrefix: '' });
app.jwt('TICKETS_SECRET', { audience: 'tickets', issuer: 'https://issuer.example', subjectPrefix: '' });

app.get('/open', (_input, { user }) => ({ id: user.id, authenticated: user.authenticated }));
app.get('/notes', { scopes: ['notes:read'], tool: true, toolName: 'notes' }, (_input, { user }) => user.id);
app.post('/echo', { input: { text: Type.Integer() } }, ({ text }) => text);
app.get('/boom', () => {
  throw new Error('the cause of the boom');
});
app.add(
  socketRoute('/feed', { scopes: ['notes:read'] }, (peer, { request, principal }) =>
    peer.send(JSON.stringify({ id: principal.id, query: request.query })),
  ),
  socketRoute(
    '/strict',
    { strictQuery: true, input: { frames: Type.Optional(Type.String()) } },
    (peer, { input }) => peer.send(JSON.stringify(input)),
  ),
);

const running = await app.listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
