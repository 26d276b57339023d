import { createApplication } from '@waymark/server';
import { declareOperations, readDocument } from './from-openapi.ts';
import { startStock } from './stock.ts';

const stock = process.env['STOCK_URL'] ?? (await startStock());

export const application = createApplication('gateway', {
  description: 'The stock of a shop, for agents.',
  // The stock that this file starts is in the process; the one of a service of its own is in none.
  ...(process.env['STOCK_URL'] === undefined && { workers: 1 }),
})
  .apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'stock:read', 'stock:write'] })
  .apiKey('READER_KEY', 'reader', { scopes: ['svc:admin', 'stock:read'] })
  .rateLimit(20)
  .upstream('stock', stock, { timeoutMs: 5_000 });

declareOperations(application, await readDocument(`${stock}/openapi.json`), {
  upstream: 'stock',
  prefix: '/stock',
  scopesOf: (method) => [method === 'GET' ? 'stock:read' : 'stock:write'],
});
