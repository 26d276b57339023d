import type { Application } from '@waymark/server';

/** Who works at the desk without sleeping: a first contact, a specialist it hands over to, and what both are told. */
export function declareAgents(app: Application): void {
  app.context('open_tickets', {
    description: 'The newest open tickets.',
    sql: "select id, title, urgent from tickets where status = 'open' order by id desc limit 20",
  });

  app.context('caller', ({ user }) => ({ id: user.root_id, scopes: user.scopes }), {
    description: 'Who is asking, and what you may do for them.',
  });

  app.agent('support', {
    description: 'Answers questions about tickets, remembers what a caller likes, and closes what is solved.',
    system: 'You work at a support desk. Look before you answer, be brief, and name tickets by their id.',
    tools: [
      ...['list_open_tickets', 'get_tickets', 'get_tickets_by_id_summary', 'close_ticket'],
      ...['triage', 'refund'],
    ],
    handoffs: ['biller'],
    context: ['open_tickets', 'caller'],
    memory: 'notes',
    scopes: ['tickets:read', 'tickets:write'],
    exposeScopes: ['tickets:read'],
    tokenBudget: 200_000,
    contextWindow: 120_000,
  });

  app.agent('archivist', {
    description: 'Cleans up: digests what is open, and purges closed tickets once a human has agreed.',
    system: 'You keep the desk tidy. Say what you would delete and why before you delete it.',
    tools: ['digest_tickets', 'purge_tickets'],
    scopes: ['tickets:read', 'tickets:purge'],
  });

  app.agent('biller', {
    description:
      'Explains what a customer was billed, and pays back what was billed twice once a human has agreed.',
    system: 'You explain invoices. Point out what was billed twice before you refund it.',
    tools: ['list_invoices', 'refund_customer'],
    scopes: ['tickets:read', 'tickets:write'],
    maxSteps: 6,
    tokenBudget: 50_000,
  });
}
