import { agent, behaviour, context, createAgents } from '@waymark/agents';
import { createRouteTable, defineRoute, type Problem, Type } from '@waymark/contract';

const listTickets = defineRoute(
  'GET',
  '/tickets',
  { tool: true, toolName: 'list_tickets', scopes: ['tickets:read'], summary: 'Lists open tickets.' },
  () => [{ id: 7, title: 'The lamp is broken' }],
);

/** Goes into the list of plugins of a host with a runner and models. */
export const plugin = createAgents([
  context('hours', { data: 'Open from nine to six.', description: 'When the shop is open.' }),
  agent('support', {
    system: 'You help customers of a lamp shop. Be brief.',
    ...{ tools: ['list_tickets'], handoffs: ['cashier'], context: ['hours'] },
    scopes: ['tickets:read'],
  }),
  agent('cashier', { system: 'You explain invoices.', scopes: ['tickets:read'] }),
  behaviour(
    'find_urgent',
    { tools: ['list_tickets'], input: { most: Type.Integer({ default: 3 }) }, scopes: ['tickets:read'] },
    async (ctx, { most }) => {
      const tickets = await ctx.call('list_tickets');
      const schema = Type.Object({ ids: Type.Array(Type.Integer(), { maxItems: most }) });
      const { ids } = await ctx.ask(`Which are urgent?\n${JSON.stringify(tickets)}`, { schema });
      return ids.length === 0 ? ctx.halt('nothing is urgent') : ids;
    },
  ),
]);

/** Their routes beside the tools that they use: `POST /agents/support`, `POST /behaviours/find-urgent`, … */
export const table = createRouteTable([listTickets, ...plugin.routes]).freeze();

/** What is wrong with the declarations; nothing. */
export const problems: readonly Problem[] = plugin.check?.({ table, env: () => undefined }) ?? [];
