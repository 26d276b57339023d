import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Application, HTTPError, Type } from '@waymark/server';
import { demoData } from './demo-data.ts';
import { ticketDates } from './ticket-dates.ts';
import { customerFields, Digest, openTicketFields, type TicketRow, ticketFields } from './tickets.ts';

/** Customers, tickets and notes: resources, statements, a memory, and two handlers that ask the database themselves. */
export function declareDesk(app: Application): void {
  const { database } = app;

  app.resource('customers', customerFields, { scopes: ['tickets:write'] });

  app.resource('tickets', ticketFields, {
    tools: true,
    readScopes: ['tickets:read'],
    writeScopes: ['tickets:write'],
  });

  app.query(
    'GET',
    '/tickets/open',
    `select tickets.id, title, urgent, name as customer
      from tickets left join customers on customers.id = tickets.customer
      where status = 'open' order by urgent desc, tickets.id limit 200`,
    {
      summary: 'List the open tickets with their customers, urgent ones first.',
      row: openTicketFields,
      tool: true,
      toolName: 'list_open_tickets',
      scopes: ['tickets:read'],
    },
  );

  app.query(
    'POST',
    '/tickets/{id}/close',
    "update tickets set status = 'closed' where id = :id returning *",
    {
      summary: 'Close a ticket.',
      params: { id: 'integer' },
      returns: 'one',
      row: { id: 'integer', ...ticketFields },
      tool: true,
      toolName: 'close_ticket',
      idempotent: true,
      scopes: ['tickets:write'],
    },
  );

  app.query('POST', '/tickets/purge', "delete from tickets where status = 'closed'", {
    summary: 'Delete every closed ticket for good.',
    returns: 'affected',
    tool: true,
    toolName: 'purge_tickets',
    approval: 'required',
    // Short enough to see it happen.
    approver: { expiresMs: 5_000 },
    destructive: true,
    scopes: ['tickets:purge'],
  });

  app.get(
    '/tickets/{id}/summary',
    {
      input: { id: Type.Integer(), style: Type.String({ default: 'short' }) },
      tool: true,
      scopes: ['tickets:read'],
    },
    async ({ id, style }) => {
      'Summarise a ticket.';
      const [ticket] = (await database.many('select * from tickets where id = ?', [
        id,
      ])) as readonly TicketRow[];
      if (!ticket) throw new HTTPError(404, `there is no ticket ${id}`);
      const { title, body, status, urgent } = ticket;
      const line = `${urgent ? 'URGENT ' : ''}#${id} ${title} (${status})`;
      return { id, summary: style === 'long' ? `${line}: ${body}` : line };
    },
  );

  app.get(
    '/tickets/digest',
    {
      summary: 'Digest the open tickets, a line for each.',
      output: Digest,
      tool: true,
      toolName: 'digest_tickets',
      scopes: ['tickets:read'],
    },
    async function* () {
      const open = (await database.many(
        "select * from tickets where status = 'open' order by id",
      )) as readonly TicketRow[];
      const lines: string[] = [];
      for (const { id, title, urgent } of open) {
        lines.push(`${urgent ? 'URGENT ' : ''}#${id} ${title}`);
        yield { event: 'progress', data: { done: lines.length, total: open.length, message: title } };
        // Everybody else is served between two tickets.
        await nextTurn();
      }
      return { open: open.length, urgent: open.filter(({ urgent }) => urgent).length, lines };
    },
  );

  app.memory('notes', { readScopes: ['tickets:read'], writeScopes: ['tickets:write'] });

  app.add(ticketDates(database));
  app.add(demoData(database));
}
