import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListenError } from '@waymark/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenAdvice } from '../src/cli/output/listen-advice.ts';
import { applicationText, inFolder } from './command-line.ts';
import { type Program, run } from './running.ts';

const byOption = { host: '--host ', port: '--port ' };

function program(argv: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): Program {
  const started = run(argv, { env: { LOG_LEVEL: 'silent', ...env }, ...(cwd !== undefined && { cwd }) });
  onTestFinished(async () => {
    started.child.kill('SIGKILL');
    await started.ended();
  });
  return started;
}

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const cli = 'apps/server/bin/waymark.js';

describe('a port that is in use', () => {
  it('is one line that names the application that has it, and another port', async () => {
    const folder = inFolder({ 'application.ts': applicationText('') });
    const first = program([cli, 'start', '--port', '0'], {}, folder);
    const [, port = ''] = await first.saying(/url +http:\/\/127\.0\.0\.1:(\d+)/);
    const line = `cannot listen on 127.0.0.1 port ${port}: the port is in use by the application "desk"; take`;
    const second = program([cli, 'start', '--port', port], {}, folder);
    expect(await second.ended()).toBe(1);
    expect(second.stderr()).toBe(`${line} --port ${Number(port) + 1}, or --port 0 for any that is free\n`);
    const loop = program([cli, 'dev', '--port', port], {}, folder);
    await loop.saying(/Failed running; waiting for a file to change/);
    expect(loop.stderr()).toBe(second.stderr());
    const reference = program(['apps/server/example/main.ts'], { PORT: port }, folder);
    expect(await reference.ended()).toBe(1);
    expect(reference.stderr()).toBe(`${line} PORT=${Number(port) + 1}, or PORT=0 for any that is free\n`);
  });

  it('is one line also where somebody else has it, who never answers', async () => {
    const port = await listening(createServer(() => {}));
    const folder = inFolder({ 'application.ts': applicationText('') });
    const started = program([cli, 'start', '--port', String(port)], {}, folder);
    expect(await started.ended()).toBe(1);
    expect(started.stderr()).toBe(
      `cannot listen on 127.0.0.1 port ${port}: the port is in use; take --port ${port + 1}, or --port 0 for any that is free\n`,
    );
  });

  it.each([
    ['a page', 'text/html', '<h1>hello</h1>'],
    ['no name', 'application/json', '{"app":7}'],
    ['escapes of a terminal', 'application/json', JSON.stringify({ app: '\u001b[2Jdesk' })],
    ['more than is read', 'application/json', JSON.stringify({ app: 'desk', rest: 'a'.repeat(16_384) })],
  ])('names nobody who answers with %s', async (_, type, body) => {
    const port = await listening(
      createServer((_request, response) => {
        response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
      }),
    );
    const error = new ListenError('127.0.0.1', port, Object.assign(new Error('x'), { code: 'EADDRINUSE' }));
    expect(await listenAdvice(error, byOption)).toContain('the port is in use; take --port');
  });
});

describe('an address that cannot be had', () => {
  const withKey = applicationText(`application.apiKey('DESK_KEY', 'desk');`);

  it.each([
    ['192.0.2.1', 'this machine does not have the address'],
    ['nowhere.invalid', 'no address is known for that name'],
  ])('%s is one line that says which can', async (host, reason) => {
    const folder = inFolder({ 'application.ts': withKey });
    const env = { DESK_KEY: 'a-key-of-more-than-16-bytes' };
    const started = program([cli, 'start', '--host', host, '--port', '0'], env, folder);
    expect(await started.ended()).toBe(1);
    expect(started.stderr()).toBe(
      `cannot listen on ${host} port 0: ${reason}; take --host 127.0.0.1 for this machine alone, or --host 0.0.0.0 for every address it has\n`,
    );
  });

  it('says of a port that needs a right which does not', async () => {
    const error = new ListenError('127.0.0.1', 80, Object.assign(new Error('x'), { code: 'EACCES' }));
    expect(await listenAdvice(error, byOption)).toBe(
      'cannot listen on 127.0.0.1 port 80: this user may not use the port; take --port 8080, or --port 0 for any that is free',
    );
  });

  it('names no port above the last one', async () => {
    const error = new ListenError('127.0.0.1', 65_535, Object.assign(new Error('x'), { code: 'EACCES' }));
    expect(await listenAdvice(error, byOption)).toMatch(/; take --port 0 for any that is free$/);
  });
});
