import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { createApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { es256, goodClaims } from './corpora/sign.ts';

const root = join(import.meta.dirname, '..', '..');

/** One address that is an upstream, a provider of models and an issuer of tokens, and counts who connects to it. */
async function startOrigin() {
  /** What was asked over each connection. */
  const connections = new Map<unknown, string[]>();
  const server = createServer((req, res) => {
    const path = req.url ?? '';
    const kind = path.replace(/^\/\.well-known\/.*/, '/.well-known');
    connections.set(req.socket, [...(connections.get(req.socket) ?? []), `${req.method} ${kind}`]);
    req.resume();
    res.setHeader('content-type', 'application/json');
    if (path === '/keys') res.end(JSON.stringify({ keys: [es256.jwk] }));
    else if (path.startsWith('/.well-known/'))
      res.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
    else if (path === '/v1/messages')
      res.end(
        JSON.stringify({
          ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5' },
          content: [{ type: 'text', text: 'Hello.' }],
          ...{ stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
        }),
      );
    else res.end('"up"');
  });
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked: () => [...connections.values()] };
}

describe('what the service asks of others', () => {
  it('goes through one client: keys of issuers, upstreams and models share their connection', async () => {
    verifies('outbound.one-client');
    const origin = await startOrigin();
    const running = await createApplication('desk', {
      port: 0,
      publicUrl: 'http://localhost:8000',
      env: { LOG_LEVEL: 'silent', ANTHROPIC_API_KEY: 'key' },
    })
      .jwt({ issuer: origin.url })
      .upstream('origin', origin.url)
      .proxy('GET', '/up', 'origin')
      .provider('origin', origin.url, { kind: 'anthropic' })
      .models({ default: 'origin/claude-opus-5' })
      .agent('front', { description: 'Answers.', exposeScopes: [] })
      .listen();
    onTestFinished(() => running.close());
    const token = es256.token({ ...goodClaims, iss: origin.url, aud: 'http://localhost:8000/_svc/mcp' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const up = await fetch(`${running.url}/up`, { headers });
    expect([up.status, await up.json()]).toEqual([200, 'up']);
    const answer = await fetch(`${running.url}/agents/front`, {
      ...{ method: 'POST', headers, body: '{"input":"Hello?"}' },
    });
    expect(await answer.json()).toMatchObject({ status: 'completed', output: 'Hello.' });
    // Keys are asked for right behind the metadata, before their connection is free again.
    const others = origin.asked().map((asked) => asked.filter((line) => line !== 'GET /keys'));
    expect(others.filter(({ length }) => length > 0)).toEqual([
      ['GET /.well-known', 'GET /up', 'POST /v1/messages'],
    ]);
  });

  it('has no other way out', () => {
    verifies('outbound.one-client');
    const files = globSync(['packages/*/src/**/*.ts', 'apps/server/src/**/*.ts'], { cwd: root });
    const outwards = /(?<![.\w])fetch\(|from '(?:node:https|undici)'|from 'node:http'.*\brequest\b/;
    const found = files.filter((file) => outwards.test(readFileSync(join(root, file), 'utf8')));
    // The client itself; commands, tests of applications, and who prints a link, which ask a service from beside it.
    const known =
      /^(?:packages\/http\/src\/outbound|apps\/server\/src\/(?:(?:cli|testing)\/|develop\/console-link\.ts$))/;
    expect(found.some((file) => known.test(file))).toBe(true);
    expect(found.filter((file) => !known.test(file))).toEqual([
      // For models without an application around them.
      'packages/models/src/transport/node-post.ts',
    ]);
  });

  // Node.js lets a `Request` forget its signal as soon as nobody holds it, while its answer is still read.
  it('leaves no signal to a Request alone', () => {
    verifies('client.ends');
    const files = globSync(['packages/*/{src,browser}/**/*.{ts,tsx}', 'apps/server/src/**/*.ts'], {
      cwd: root,
    });
    const found = files.filter((file) =>
      /\bnew (?:globalThis\.)?Request\(/.test(readFileSync(join(root, file), 'utf8')),
    );
    // Passes on what it was given beside it.
    expect(found).toEqual(['packages/console/browser/client/service.ts']);
  });
});
