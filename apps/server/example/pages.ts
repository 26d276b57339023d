import { join } from 'node:path';
import { type Application, reply, Type } from '@waymark/server';

/** The board that hangs in the hall: everybody may see which tickets there are and what moved in there, readers also what is in a ticket. */
export function declarePages(app: Application): void {
  const { database } = app;

  app.pageHandler('/board', 'board', async () => ({
    tickets: await database.many(
      `select id, title, status, urgent from tickets
        order by status = 'closed', urgent desc, id limit 200`,
    ),
    sightings: await database.many('select device, said, at from sightings order by id desc limit 3'),
  }));

  app.page('/board/sightings', 'sightings', {
    sql: 'select device, said, at from sightings order by id desc limit 50',
    bind: 'sightings',
  });

  app.pageHandler('/board/{id}', 'ticket', { input: { id: Type.Integer() } }, async ({ id }, { scopes }) => {
    const [ticket] = await database.many(
      `select tickets.*, name as customer
        from tickets left join customers on customers.id = tickets.customer where tickets.id = ?`,
      [id],
    );
    if (!ticket) return reply(404, { missing: id });
    if (scopes.includes('tickets:read')) return { ticket, readable: true };
    const { title, status, urgent } = ticket;
    return { ticket: { id, title, status, urgent }, readable: false };
  });

  app.staticFiles('/assets', join(import.meta.dirname, 'public'));
}
