import { type Application, type ApplicationOptions, createApplication, Type } from '@waymark/server';
import { socketRoute } from './programs/socket-route.ts';

/** The secrets of two callers, who may use MCP too. */
export const deskKeys = {
  ANN_KEY: 'ann-secret-of-more-than-16-bytes',
  BOB_KEY: 'bob-secret-of-more-than-16-bytes',
} as const;

/** How often the socket ticks. */
export const tickMs = 50;

/** An application with one of everything that runs SQL, and a socket that ticks. */
export function createSqlDesk(database: string, env?: ApplicationOptions['env']): Application {
  const app = createApplication('sql-desk', {
    ...{ port: 0, database, ...(env && { env }) },
    // Those who try everything fail all the time, and must not be stopped for that.
    failureLimit: { perSecond: 1_000_000, burst: 1_000_000 },
  });
  app.apiKey('ANN_KEY', 'ann', { scopes: ['svc:admin'] });
  app.apiKey('BOB_KEY', 'bob', { scopes: ['svc:admin'] });
  app.resource(
    'tickets',
    { title: 'string', rank: Type.Optional(Type.Integer()), extra: Type.Optional(Type.Unknown()) },
    { tools: true },
  );
  app.memory('notes');
  app.query('GET', '/titles/{title}', 'select id, title from tickets where title = :title', {
    ...{ params: ['title'], tool: true, toolName: 'find_titles' },
  });
  app.query('GET', '/ranks', 'select id, title from tickets where rank >= ? and rank <= ? order by rank', {
    ...{ params: { from: 'integer', to: 'integer' }, tool: true, toolName: 'list_ranks' },
  });
  app.query('POST', '/rank', 'update tickets set rank = :rank where title = :title', {
    ...{ params: { title: 'string', rank: 'integer' }, returns: 'affected' },
    ...{ tool: true, toolName: 'rank_tickets' },
  });
  app.query('POST', '/mine', 'insert into tickets (title) values (@principal) returning title', {
    ...{ params: ['@principal'], returns: 'one', tool: true, toolName: 'sign' },
  });
  return app.add(
    socketRoute('/ticks', {}, (peer) => {
      const timer = setInterval(() => peer.send('tick'), tickMs);
      peer.onClose(() => clearInterval(timer));
    }),
  );
}
