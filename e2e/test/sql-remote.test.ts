import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import { createApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Something at the address of a database that lets nobody in, and remembers what they showed. */
async function closedDoor() {
  const shown: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    shown.push(req.headers.authorization);
    res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"the answer of the server"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Starts over it, and gives what was said. */
  const start = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const app = createApplication('far', {
      ...{ port: 0, database: `http://127.0.0.1:${port}`, env: { LOG_LEVEL: 'silent', ...env } },
    });
    const refused = await app.listen().then(
      () => 'started',
      (error: unknown) => error,
    );
    return String(refused instanceof Error ? refused.message : refused);
  };
  return { shown, start };
}

describe('a remote database', () => {
  it('is shown the token of the environment, which nobody else reads', async () => {
    verifies('sql.url.token');
    const { shown, start } = await closedDoor();
    const said = await start({ DATABASE_AUTH_TOKEN: 'a-token-of-the-test' });
    expect(shown.length).toBeGreaterThan(0);
    expect(new Set(shown)).toEqual(new Set(['Bearer a-token-of-the-test']));
    expect(said).toContain('its server refuses the token; set DATABASE_AUTH_TOKEN');
    expect(said).not.toMatch(/a-token-of-the-test|the answer of the server/);
  });

  it.each([{}, { DATABASE_AUTH_TOKEN: '' }])('is shown none where there is none: %j', async (env) => {
    const { shown, start } = await closedDoor();
    expect(await start(env)).toContain('its server refuses the token');
    expect(new Set(shown)).toEqual(new Set([undefined]));
  });
});
