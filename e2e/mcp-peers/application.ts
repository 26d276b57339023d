import { createApplication, HTTPError, image, Type } from '@waymark/server';

const env = (name: string): string => process.env[name] ?? '';
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const input = { id: Type.Integer() };

/** What the clients of others meet: a tool of every kind. It is started by the command line, as a user does. */
export const application = createApplication('desk', {
  version: '4.5.6',
  description: 'Tickets, and who works on them.',
  mcpScopes: ['mcp'],
  // What tokens have to be for.
  publicUrl: env('PUBLIC_URL'),
})
  .apiKey('DESK_KEY', 'desk', { scopes: ['mcp', 'tickets:read', 'tickets:write'], bearer: true })
  .jwt({ issuer: env('ISSUER') })
  .provider('simulator', env('MODELS'), { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5' });

application
  .get(
    '/tickets/{id}/summary',
    { input: { ...input, style: Type.String({ default: 'short' }) }, tool: true },
    ({ id, style }) => {
      'Summarise a ticket – kurz oder „ausführlich“.';
      return `a ${style} summary of ${id}: 🔥 急`;
    },
  )
  .get(
    '/tickets/{id}',
    {
      summary: 'Read a ticket.',
      input,
      output: Type.Object({ id: Type.Integer(), title: Type.String() }),
      scopes: ['tickets:read'],
      tool: true,
    },
    ({ id }) => ({ id, title: 'Der Drucker brennt 🔥' }),
  )
  .get(
    '/tags',
    { summary: 'List the tags.', output: Type.Array(Type.String()), tool: true, toolName: 'list_tags' },
    () => ['neu', '急'],
  )
  .get('/photo', { summary: 'Show the desk.', tool: true, toolName: 'photo' }, () => image(pixel))
  .get('/me', { summary: 'Say who asks.', tool: true, toolName: 'whoami' }, (_input, { user }) => user.id)
  .post(
    '/echo',
    {
      summary: 'Give back a text.',
      input: { text: Type.String({ maxLength: 200 }) },
      scopes: ['tickets:read'],
      tool: true,
      toolName: 'echo',
    },
    ({ text }) => text,
  )
  .post(
    '/tickets/{id}/close',
    { summary: 'Close a ticket.', input, scopes: ['tickets:write'], tool: true, toolName: 'close_ticket' },
    ({ id }) => {
      throw new HTTPError(409, `ticket ${id} is closed already`);
    },
  )
  .delete(
    '/tickets/{id}',
    {
      summary: 'Erase a ticket.',
      input,
      scopes: ['tickets:write'],
      approval: 'required',
      tool: true,
      toolName: 'erase_ticket',
    },
    () => undefined,
  )
  .put(
    '/tickets/{id}/owner',
    {
      summary: 'Give a ticket to somebody.',
      input: { ...input, owner: Type.String() },
      // The key does not have it; whoever signs in can ask for it.
      scopes: ['tickets:assign'],
      tool: true,
      toolName: 'assign_ticket',
    },
    ({ id, owner }) => `ticket ${id} belongs to ${owner}`,
  )
  .agent('helper', {
    description: 'Ask somebody who reads tickets.',
    system: 'You help at the desk.',
    tools: ['get_tickets_by_id'],
    scopes: ['tickets:read'],
  });
