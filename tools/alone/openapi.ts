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
const { get } = JSON.parse(JSON.stringify(document)).paths['/tickets/{id}'];
assert.equal(get.operationId, 'get_tickets_by_id');
assert.deepEqual(get.responses['404'].content['application/json'].schema, {
  type: 'object',
  required: ['title'],
  properties: { title: { type: 'string' } },
});
