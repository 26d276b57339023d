import { writeFileSync } from 'node:fs';
import { toClient } from '@waymark/client-gen';
import { createRouteTable, defineRoute, Type } from '@waymark/contract';

const Ticket = Type.Object({ id: Type.Integer(), title: Type.String() }, { title: 'Ticket' });
const table = createRouteTable([
  defineRoute(
    'GET',
    '/tickets/{id}',
    { input: { id: Type.Integer() }, output: Ticket, summary: 'Reads one ticket.' },
    ({ id }) => ({ id, title: 'Printer' }),
  ),
]).freeze();

writeFileSync(process.env['CLIENT'] ?? 'desk-client.ts', toClient(table, { title: 'Desk' }));
