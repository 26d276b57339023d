import { join } from 'node:path';
import { type Application, reply, Type } from '@waymark/server';

/** The newest first, with a time that is read by humans. */
const sightings =
  "select device, said, at, replace(substr(at, 1, 16), 'T', ' ') as time from sightings order by id desc";

/** The board that hangs in the hall: everybody may see which tickets there are and what moved in there, who has signed in and may read tickets also what is in them. */
export function declarePages(app: Application): void {
  const { database } = app;

  app.pageHandler('/board', 'board', async (_input, { scopes }) => {
    const readable = scopes.includes('tickets:read');
    const [counts] = await database.many(
      `select count(*) filter (where status = 'open') as open, count(*) filter (where status = 'closed') as closed,
        count(*) filter (where status = 'open' and urgent) as urgent from tickets`,
    );
    return {
      readable,
      counts,
      tickets: await database.many(
        `select id, title, status, urgent, case when ? then body end as body,
            substr(opened_at, 1, 10) as opened, substr(closed_at, 1, 10) as closed
          from tickets left join ticket_dates on ticket_dates.ticket = tickets.id
          order by status = 'closed', urgent desc, id limit 200`,
        [readable],
      ),
      sightings: await database.many(`${sightings} limit 3`),
    };
  });

  app.page('/board/sightings', 'sightings', {
    sql: `${sightings} limit 50`,
    bind: 'sightings',
  });

  app.pageHandler('/board/{id}', 'ticket', { input: { id: Type.Integer() } }, async ({ id }, { scopes }) => {
    const [ticket] = await database.many(
      `select tickets.*, name as customer, substr(opened_at, 1, 10) as opened, substr(closed_at, 1, 10) as closed
        from tickets left join customers on customers.id = tickets.customer
          left join ticket_dates on ticket_dates.ticket = tickets.id where tickets.id = ?`,
      [id],
    );
    if (!ticket) return reply(404, { missing: id });
    if (scopes.includes('tickets:read')) return { ticket, readable: true };
    const { title, status, urgent, opened, closed } = ticket;
    return { ticket: { id, title, status, urgent, opened, closed }, readable: false };
  });

  app.staticFiles('/assets', join(import.meta.dirname, 'public'));
}
