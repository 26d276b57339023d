import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Application, Type } from '@waymark/server';
import { onTestFinished } from 'vitest';

/** One request that the tool server was sent. */
export interface Asked {
  readonly key: string | undefined;
  readonly body: string;
}

/** Another service with one tool, which answers its n-th request, from 1, as it is told. */
export async function serveTool(answer: (n: number, response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      asked.push({ key: request.headers['idempotency-key'] as string | undefined, body });
      answer(asked.length, response);
    });
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Answers JSON. */
export function sayJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Declares a tool that is another service's and is called again, and an agent, a flow and a behaviour that use it. */
export function declareRetries(
  app: Application,
  {
    tools,
    models,
    backoffMs,
  }: { readonly tools: string; readonly models: string; readonly backoffMs: number },
): Application {
  return app
    .provider('simulator', models, { kind: 'anthropic' })
    .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
    .upstream('bank', tools)
    .proxy('PUT', '/orders', 'bank', {
      ...{ tool: true, toolName: 'order', scopes: ['use'], summary: 'Orders.' },
      ...{ input: { lines: Type.Integer({ default: 1 }) }, retry: { attempts: 3, backoffMs } },
    })
    .agent('clerk', { tools: ['order'], scopes: ['use'], description: 'Orders.' })
    .flow('intake', {
      pipeline: [{ tool: 'order', input: { lines: 1 } }],
      scopes: ['use'],
      description: 'Orders.',
    })
    .behaviour('buys', { tools: ['order'], scopes: ['use'] }, (ctx) => ctx.call('order', { lines: 1 }));
}
