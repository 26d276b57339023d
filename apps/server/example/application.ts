import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Application,
  type ApplicationOptions,
  createApplication,
  HTTPError,
  reply,
  Type,
} from '@waymark/server';
import { Ticket, TicketDesk } from './ticket-desk.ts';

const Digest = Type.Object(
  { open: Type.Integer(), urgent: Type.Integer(), lines: Type.Array(Type.String()) },
  { title: 'Digest' },
);
const NotFound = Type.Object({ title: Type.String() }, { title: 'NotFound' });

/**
 * The reference application: a support desk on demo data. Three keys: the operator may do everything, a device may
 * only send, a reader may only read.
 */
export function createExample(options: ApplicationOptions = {}): Application {
  const desk = new TicketDesk();
  const app = createApplication('support-desk', {
    description: 'A support desk: read, open, summarise and purge tickets.',
    ...options,
  });

  app.apiKey('OPERATOR_KEY', 'operator', {
    scopes: ['svc:admin', 'tickets:read', 'tickets:write', 'tickets:purge', 'devices:read', 'devices:ingest'],
  });
  app.apiKey('DEVICE_KEY', 'device', { scopes: ['devices:ingest'] });
  app.apiKey('READER_KEY', 'reader', { scopes: ['tickets:read', 'devices:read'] });

  app.rateLimit(50, { burst: 100 });

  app.static(
    'GET',
    '/',
    { app: 'support-desk', openapi: '/_svc/openapi.json', mcp: '/_svc/mcp' },
    { summary: 'Says where to look.' },
  );

  app.get(
    '/tickets',
    {
      summary: 'List tickets, oldest first.',
      input: {
        status: Type.Optional(Ticket.properties.status),
        limit: Type.Integer({ default: 50, minimum: 1, maximum: 200 }),
      },
      output: Type.Array(Ticket),
      tool: true,
      toolName: 'list_tickets',
      scopes: ['tickets:read'],
    },
    ({ status, limit }) => [...desk.list(status, limit)],
  );

  app.post(
    '/tickets',
    {
      summary: 'Open a ticket.',
      input: {
        title: Type.String({ minLength: 1, maxLength: 200 }),
        body: Type.String({ default: '', maxLength: 10_000 }),
        urgent: Type.Boolean({ default: false }),
      },
      output: { 201: Ticket },
      tool: true,
      scopes: ['tickets:write'],
    },
    ({ title, body, urgent }) => {
      if (desk.isFull) throw new HTTPError(409, 'the demo desk is full; purge closed tickets first');
      const ticket = desk.open(title, body, urgent);
      return reply(201, ticket, { location: `/tickets/${ticket.id}` });
    },
  );

  app.get(
    '/tickets/{id}',
    {
      summary: 'Read one ticket.',
      input: { id: Type.Integer() },
      output: { 200: Ticket, 404: NotFound },
      tool: true,
      scopes: ['tickets:read'],
    },
    ({ id }) => desk.find(id) ?? reply(404, { title: `there is no ticket ${id}` }),
  );

  app.get(
    '/tickets/{id}/summary',
    {
      input: { id: Type.Integer(), style: Type.String({ default: 'short' }) },
      tool: true,
      scopes: ['tickets:read'],
    },
    ({ id, style }) => {
      'Summarise a ticket.';
      const ticket = desk.find(id);
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
      const open = desk.list('open');
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

  app.post(
    '/tickets/{id}/close',
    {
      summary: 'Close a ticket.',
      input: { id: Type.Integer() },
      output: { 200: Ticket, 404: NotFound },
      tool: true,
      toolName: 'close_ticket',
      idempotent: true,
      scopes: ['tickets:write'],
    },
    ({ id }) => desk.close(id) ?? reply(404, { title: `there is no ticket ${id}` }),
  );

  app.post(
    '/tickets/purge',
    {
      summary: 'Delete every closed ticket for good.',
      output: Type.Object({ purged: Type.Integer() }),
      tool: true,
      toolName: 'purge_tickets',
      approval: 'required',
      destructive: true,
      scopes: ['tickets:purge'],
    },
    () => ({ purged: desk.purge() }),
  );
  return app;
}
