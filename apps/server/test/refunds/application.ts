import { createApplication, Type } from '@waymark/server';

/** What the test in the README is of. */
export const application = createApplication('desk', { port: 0 })
  .apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'bill', 'refund'] })
  .post(
    '/refunds/{id}',
    {
      summary: 'Refund a customer.',
      input: { id: Type.Integer(), euros: Type.Integer() },
      tool: true,
      toolName: 'refund_customer',
      approval: 'required',
      scopes: ['refund'],
    },
    ({ id, euros }) => ({ customer: id, refunded: euros }),
  )
  .agent('biller', {
    description: 'Refunds customers.',
    tools: ['refund_customer'],
    scopes: ['refund'],
    exposeScopes: ['bill'],
  });
