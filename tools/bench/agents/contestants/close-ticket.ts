import { defineRoute, Type } from '@waymark/contract';

/** A tool that a human has to approve. */
export const closeTicket = defineRoute(
  'POST',
  '/tickets/{id}/close',
  {
    ...{ tool: true, toolName: 'close_ticket', summary: 'Closes a ticket.', approval: 'required' },
    scopes: ['tickets:write'],
    input: { id: Type.Integer() },
  },
  ({ id }) => ({ id, status: 'closed' }),
);
