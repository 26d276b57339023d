import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Application, Type } from '@waymark/server';

/** Another service, reached through this one: its invoices are a route and a tool of the desk. */
export function declareBilling(app: Application, url: string): void {
  app.upstream('billing', url, { headers: { 'x-desk': 'support' }, timeoutMs: 5_000 });

  app.proxy('GET', '/customers/{id}/invoices', 'billing', {
    summary: 'List what a customer was billed.',
    rewrite: '/v1/invoices/{id}',
    input: { id: Type.Integer() },
    tool: true,
    toolName: 'list_invoices',
    scopes: ['tickets:read'],
  });

  app.proxy('POST', '/customers/{id}/refunds', 'billing', {
    summary: 'Pay a customer back.',
    rewrite: '/v1/refunds/{id}',
    input: { id: Type.Integer(), euros: Type.Integer({ minimum: 1, maximum: 500 }) },
    tool: true,
    toolName: 'refund_customer',
    approval: 'required',
    scopes: ['tickets:write'],
  });
}

/** A billing service on this machine. */
export interface Billing {
  readonly url: string;
  close(): void;
}

/** Starts a stand-in for a billing service, which bills everybody twice in March. */
export async function startBilling(): Promise<Billing> {
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://billing');
    const [, customer] = /^\/v1\/invoices\/(\d+)$/.exec(pathname) ?? [];
    res.setHeader('content-type', 'application/json');
    const [, refunded] = /^\/v1\/refunds\/(\d+)$/.exec(pathname) ?? [];
    if (refunded !== undefined && req.method === 'POST') {
      req.resume();
      res.end(JSON.stringify({ customer: Number(refunded), refunded: true }));
      return;
    }
    if (customer === undefined || req.method !== 'GET') {
      res.writeHead(404).end('{"message":"no such invoice"}');
      return;
    }
    const invoices = ['02', '03', '03'].map((month, i) => ({
      number: `${customer}-${i + 1}`,
      month: `2026-${month}`,
      euros: 49,
    }));
    res.end(JSON.stringify({ customer: Number(customer), invoices }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
}
