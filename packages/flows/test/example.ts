import { createRouteTable, defineRoute, Type } from '@waymark/contract';
import { createFlows, flow } from '@waymark/flows';

const id = Type.Integer();
const text = Type.String();
const tool = { tool: true, scopes: ['tickets'] };
const ticket = { id: 7, title: 'The lamp is broken' };
const routes = [
  defineRoute('GET', '/tickets/{id}', { ...tool, toolName: 'get_ticket', input: { id } }, () => ticket),
  defineRoute('POST', '/mails', { ...tool, toolName: 'send_mail', input: { text } }, () => 'sent'),
];

/** Goes into the list of plugins of a host with a runner, and models where a flow routes. */
export const plugin = createFlows([
  flow('answer_ticket', {
    pipeline: [
      { tool: 'get_ticket', input: { id: '$input.id' } },
      { tool: 'send_mail', input: { text: '$.title' } },
    ],
    ...{ inputSchema: { id }, scopes: ['tickets'] },
  }),
]);

export const table = createRouteTable([...routes, ...plugin.routes]).freeze();
