// `contract` + `openapi` and nothing else: a document of one's own table.
import assert from 'node:assert/strict';
import { createRouteTable, defineRoute, reply, Type } from '@waymark/contract';
import { toOpenApi } from '@waymark/openapi';

const Ticket = Type.Object({ id: Type.Integer(), title: Type.String() });
const table = createRouteTable([
  defineRoute(
    'GET',
    '/tickets/{id}',
    { input: { id: Type.Integer() }, output: { 200: Ticket, 404: Type.Object({ title: Type.String() }) } },
    ({ id }) => (id > 9 ? reply(404, { title: 'no such ticket' }) : { id, title: 'Printer' }),
  ),
]).freeze();

const document = toOpenApi(table, { title: 'Tickets', version: '1.0.0' });
assert.equal(document.openapi, '3.1.0');
const { paths } = JSON.parse(JSON.stringify(document)) as {
  paths: Record<string, { get: { operationId: string; responses: Record<string, { content: object }> } }>;
};
const operation = paths['/tickets/{id}']?.get;
assert.equal(operation?.operationId, 'get_tickets_by_id');
assert.deepEqual(Object.entries(operation.responses['404']?.content ?? {})[0], [
  'application/json',
  {
    schema: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
    example: { title: 'text' },
  },
]);
