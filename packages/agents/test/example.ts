import { agent, context, createAgents } from '@waymark/agents';
import { createRouteTable, defineRoute, type Problem } from '@waymark/contract';

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
]);

/** The routes of the agents beside the tools that they use: `POST /agents/support`, … */
export const table = createRouteTable([listTickets, ...plugin.routes]).freeze();

/** What is wrong with the declarations; nothing. */
export const problems: readonly Problem[] = plugin.check?.({ table, env: () => undefined }) ?? [];
