import { type Application, Type } from '@waymark/server';
import type { OpenTicket } from './tickets.ts';

/** What a model says of one ticket. */
const Verdict = Type.Object({ urgent: Type.Boolean(), reason: Type.String() });

const system = 'You triage tickets of a support desk. Urgent is what cannot wait until tomorrow.';

/**
 * Work that no model decides the order of: a behaviour, which is code, and a flow, which is a list of steps. Both survive
 * their process, also while a human is asked.
 */
export function declareTriage(app: Application): void {
  app.query(
    'POST',
    '/tickets/{id}/escalate',
    `update tickets set urgent = 1, body = body || char(10) || 'Whoever is on call was woken.'
      where id = :id returning *`,
    {
      summary: 'Wake whoever is on call for a ticket.',
      params: { id: 'integer' },
      returns: 'one',
      tool: true,
      toolName: 'escalate_ticket',
      approval: 'required',
      scopes: ['tickets:write'],
    },
  );

  app.behaviour(
    'triage',
    {
      description: 'Reads the open tickets, asks about all of them at once, and marks the urgent ones.',
      tools: ['list_open_tickets', 'update_tickets', 'escalate_ticket'],
      input: {
        limit: Type.Integer({ default: 20, minimum: 1, maximum: 50, description: 'Tickets to look at.' }),
        escalate: Type.Boolean({ default: false, description: 'Ask to wake whoever is on call.' }),
      },
      scopes: ['tickets:read', 'tickets:write'],
      exposeScopes: ['tickets:write'],
      model: 'fast',
      maxSteps: 200,
      tokenBudget: 100_000,
    },
    async (ctx, { limit, escalate }) => {
      const open = (await ctx.call('list_open_tickets')) as readonly OpenTicket[];
      const calm = open.filter(({ urgent }) => !urgent).slice(0, limit);
      if (calm.length === 0) ctx.halt('nothing to triage');
      const verdicts = await ctx.askMany(
        calm.map(({ title }) => `Is this ticket urgent?\n${title}`),
        { system, schema: Verdict },
      );
      const urgent = calm.filter((_, i) => verdicts[i]?.urgent);
      await ctx.gather(urgent.map(({ id }) => ['update_tickets', { id, urgent: true }] as const));
      ctx.log(`${urgent.length} of ${calm.length} tickets are urgent`);
      if (escalate) await ctx.gather(urgent.map(({ id }) => ['escalate_ticket', { id }] as const));
      return { read: calm.length, urgent: urgent.map(({ id, title }) => ({ id, title })) };
    },
  );

  app.flow('refund', {
    description: 'Pays a customer back once a human has agreed, and files a ticket about it.',
    inputSchema: {
      customer: Type.Integer(),
      euros: Type.Integer({ minimum: 1, maximum: 500 }),
      reason: Type.String({ default: '', maxLength: 1_000 }),
    },
    pipeline: [
      { tool: 'list_invoices', input: { id: '$input.customer' } },
      { tool: 'refund_customer', input: { id: '$input.customer', euros: '$input.euros' } },
      {
        tool: 'create_tickets',
        input: {
          title: 'Refunded what was billed twice',
          body: '$input.reason',
          status: 'closed',
          customer: '$input.customer',
        },
      },
    ],
    scopes: ['tickets:read', 'tickets:write'],
    exposeScopes: ['tickets:write'],
  });
}
