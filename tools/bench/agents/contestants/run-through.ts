import type { Host } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type { Application } from '@waymark/server';
import type { Run } from '../question.ts';

const caller: Principal = {
  id: 'caller',
  rootId: 'caller',
  authenticated: true,
  scopes: ['svc:admin', 'tickets:read'],
};

/** The application, started whole; its agent is called through the dispatcher, where HTTP and MCP come out too. */
export async function runThrough(app: Application): Promise<Run> {
  let host: Host | undefined;
  app.add({
    name: 'bench',
    routes: [],
    start: (started) => {
      host = started;
    },
  });
  await app.listen();
  const route = host?.table.get('clerk');
  if (!host || !route) throw new Error('the application has no agent "clerk"');
  const { dispatcher, newId } = host;
  return async (input) => {
    const { status, body } = await dispatcher.dispatch({
      ...{ route, input: { by: 'arguments', values: { input } }, principal: caller },
      ...{ via: 'http', requestId: newId() },
    });
    if (status !== 200 || body.kind !== 'json') throw new Error(`the run ended with ${status}`);
    return (JSON.parse(body.text) as { readonly output: string }).output;
  };
}
