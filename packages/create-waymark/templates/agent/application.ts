import { createApplication, HTTPError, Type } from '@waymark/server';

/** What is served. `waymark dev` serves it, and again whenever this file changes. */
export const application = createApplication('my-application', { version: '0.1.0' });

// Pages of this application run no inline scripts, load nothing from elsewhere, and stand in no frame.
application.securityHeaders({ contentSecurityPolicy: 'pages' });

// `waymark dev` makes the keys that are not set.
application.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'orders:read', 'orders:write'] });
application.apiKey('READER_KEY', 'reader', { scopes: ['orders:read'] });

const Order = Type.Object(
  { id: Type.Integer(), customer: Type.String(), euros: Type.Integer(), refunded: Type.Boolean() },
  { title: 'Order' },
);

/** A database takes its place: `application.resource`, `application.query`. */
const orders = new Map(
  ['Ada', 'Grace'].map((customer, i) => [
    i + 1,
    { id: i + 1, customer, euros: 49 * (i + 1), refunded: false },
  ]),
);

application.get(
  '/orders',
  {
    summary: 'List the orders.',
    output: Type.Array(Order),
    tool: true,
    toolName: 'list_orders',
    scopes: ['orders:read'],
  },
  () => [...orders.values()],
);

application.post(
  '/orders/{id}/refund',
  {
    summary: 'Pay the customer of an order back.',
    input: { id: Type.Integer() },
    output: Order,
    tool: true,
    toolName: 'refund_order',
    // Where an agent, a behaviour or a flow calls it, a human decides before it runs.
    approval: 'required',
    scopes: ['orders:write'],
  },
  ({ id }) => {
    const order = orders.get(id);
    if (!order) throw new HTTPError(404, `there is no order ${id}`);
    order.refunded = true;
    return order;
  },
);

application.agent('clerk', {
  description: 'Answers questions about orders, and refunds one once a human has agreed.',
  system: 'You look after orders. Look before you answer, and be brief.',
  tools: ['list_orders', 'refund_order'],
  scopes: ['orders:read', 'orders:write'],
  exposeScopes: ['orders:read'],
  maxSteps: 8,
  tokenBudget: 50_000,
});
