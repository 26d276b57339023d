import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });
});

describe('the program of the README', () => {
  const ticket = { id: 7, title: 'The kettle leaks', body: '', status: 'open', urgent: false };
  let server: Server;
  let printed: ReturnType<typeof vi.spyOn>;

  beforeEach(async () => {
    server = createServer((request, response) => {
      const known = request.headers['x-api-key'] === 'operator';
      const type = known ? 'application/json' : 'application/problem+json';
      const answer = request.method === 'POST' ? ticket : [ticket, ticket];
      response.writeHead(known ? 200 : 401, { 'content-type': type });
      response.end(JSON.stringify(known ? answer : { title: 'Unauthorized', detail: 'who are you?' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('DESK_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    vi.resetModules();
    await server[Symbol.asyncDispose]();
  });

  it('opens a ticket and lists the open ones', async () => {
    vi.stubEnv('OPERATOR_KEY', 'operator');
    await import('./example.ts');
    expect(printed).toHaveBeenCalledWith('ticket 7 is one of 2 that are open');
  });

  it('says what the service refused', async () => {
    vi.stubEnv('OPERATOR_KEY', 'nobody');
    await import('./example.ts');
    expect(printed).toHaveBeenCalledWith('401 who are you?');
  });
});
