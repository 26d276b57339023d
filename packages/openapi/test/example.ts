import { createRouteTable, defineRoute, reply, Type } from '@waymark/contract';
import { toOpenApi } from '@waymark/openapi';

const Ticket = Type.Object({ id: Type.Integer(), title: Type.String() });
const table = createRouteTable([
  defineRoute(
    'GET',
    '/tickets/{id}',
    {
      input: { id: Type.Integer() },
      output: { 200: Ticket, 404: Type.Object({ title: Type.String() }) },
      scopes: ['tickets:read'],
    },
    ({ id }) => {
      'Reads one ticket.';
      return id > 9 ? reply(404, { title: 'no such ticket' }) : { id, title: 'Printer' };
    },
  ),
]).freeze();

console.log(
  JSON.stringify(toOpenApi(table, { title: 'Desk', version: '1.0.0', security: { apiKey: true } }), null, 2),
);
