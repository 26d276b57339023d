import { createApplication, HTTPError, Type } from '@waymark/server';
import { startApprover } from './approver.ts';

/** Variables that are not set get values of their own in development: this one is no key of the application. */
const secret = process.env['HOOK_SECRET'] ?? `whsec_${btoa(crypto.randomUUID())}`;
const port = process.env['PORT'] ?? '8000';

/** Who is told. It decides with a key of its own, which a start in production finds in the environment. */
export const approver = await startApprover({
  ...{ secret, most: 50 },
  url: `http://127.0.0.1:${port}`,
  key: process.env['APPROVER_KEY'] ?? crypto.randomUUID(),
});

export const application = createApplication('shop', {
  env: { ...process.env, HOOK_SECRET: secret, APPROVER_KEY: approver.key },
})
  .apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'orders:read', 'orders:write'] })
  // Whoever decides needs svc:admin, and what `approver` of the route asks for besides, which is nothing here; not the
  // scopes of the call.
  .apiKey('APPROVER_KEY', 'approver', { scopes: ['svc:admin'] })
  .notify(approver.hook, { events: ['approval_requested'], secretEnv: 'HOOK_SECRET', name: 'approver' });

const orders = new Map([49, 98].map((euros, i) => [i + 1, { id: i + 1, euros, refunded: false }]));

application.get(
  '/orders',
  { summary: 'List the orders.', tool: true, toolName: 'list_orders', scopes: ['orders:read'] },
  () => [...orders.values()],
);

application.post(
  '/orders/{id}/refund',
  {
    summary: 'Pay the customer of an order back, all of it: say how much that is.',
    input: { id: Type.Integer(), euros: Type.Integer({ minimum: 1 }) },
    tool: true,
    toolName: 'refund_order',
    approval: 'required',
    scopes: ['orders:write'],
  },
  ({ id, euros }) => {
    const order = orders.get(id);
    // What was agreed to is what is paid: nobody has to believe the model.
    if (order?.euros !== euros) throw new HTTPError(409, `order ${id} is not one of ${euros} euros`);
    order.refunded = true;
    return order;
  },
);

application.agent('clerk', {
  description: 'Refunds orders once somebody has agreed.',
  tools: ['list_orders', 'refund_order'],
  scopes: ['orders:read', 'orders:write'],
});
