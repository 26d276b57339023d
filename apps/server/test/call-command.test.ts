import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { applicationText, desk, inFolder, stubKeys, waymark } from './command-line.ts';

/** The reader reads, the operator does everything; both may use MCP. */
const open = desk.replace(`['svc:admin', 'desk:read'`, `['svc:admin', 'mcp', 'desk:read'`);

function inDesk(): void {
  stubKeys();
  inFolder({ 'application.ts': open });
}

/** Serves anything until the test is over. @returns its address */
async function foreign(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a tool `stock` over MCP and HTTP, whose answer says it is JSON. */
function serveStock(answer: () => string): Promise<string> {
  const paths = { '/stock': { get: { operationId: 'stock' } } };
  return foreign((req, res) => {
    res.setHeader('content-type', 'application/json');
    const content = [{ type: 'text', text: answer() }];
    if (req.url === '/stock') res.end(answer());
    else if (req.url === '/_svc/openapi.json') res.end(JSON.stringify({ paths }));
    else if (req.method === 'POST') res.end(JSON.stringify({ result: { content, isError: false } }));
    else res.end(JSON.stringify({ tools: [{ name: 'stock', inputSchema: { type: 'object' } }] }));
  });
}

/** Serves the application of a folder until the test is over. @returns its address */
async function served(folder: string): Promise<string> {
  const { application } = (await import(join(folder, 'application.ts'))) as {
    readonly application: Application;
  };
  const { url, close } = await application.listen({ port: 0 });
  onTestFinished(close);
  return url;
}

const fromFile = ['--file', 'application.ts', '--as', 'operator'] as const;

describe.each(['--mcp', '--http'])('waymark call %s', (door) => {
  const call = (tool: string, ...argv: readonly string[]) =>
    waymark('call', tool, door, ...fromFile, ...argv);

  it('prints what the tool answers', async () => {
    verifies('cli.call');
    inDesk();
    expect(await call('get_ticket', '--id', '7')).toEqual({
      code: 0,
      out: '{\n  "id": 7,\n  "style": "short"\n}\n',
      err: '',
    });
    expect((await call('plain')).out).toBe('just text\n');
  });

  it('reads each argument by the schema of the tool', async () => {
    inDesk();
    const { out } = await call(
      'echo',
      ...['--place', 'a/b c', '--text', '007', '--count=-1.5', '--urgent', '--status', 'closed'],
      ...[
        '--tags',
        'x',
        '--tags',
        '["y","z"]',
        '--sizes',
        '1',
        '--sizes',
        '2',
        '--shape',
        '{"a":[1]}',
        '--seen',
      ],
    );
    expect(JSON.parse(out)).toEqual({
      ...{ place: 'a/b c', text: '007', count: -1.5, urgent: true, status: 'closed' },
      ...{ tags: ['x', '["y","z"]'], sizes: [1, 2], shape: { a: [1] }, seen: true, json: '' },
    });
  });

  it('takes arguments as JSON, options over them, and prints JSON then', async () => {
    inDesk();
    const { out } = await call(
      'echo',
      '--json',
      '{"place":"here","text":"from JSON","count":1}',
      '--count',
      '2',
    );
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      value: { place: 'here', text: 'from JSON', count: 2, urgent: false },
    });
    const refused = await call('get_ticket', '--id', '99', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({
      ok: false,
      message: expect.stringContaining('there is no ticket 99') as string,
    });
  });

  it('takes the options of the tool after -- even where they are named like ours', async () => {
    inDesk();
    const { out } = await call('echo', '--place', 'here', '--no-urgent', '--', '--json', 'mine');
    expect(JSON.parse(out)).toMatchObject({ json: 'mine', urgent: false });
  });

  it('sends one value that is all of the body', async () => {
    inDesk();
    expect(JSON.parse((await call('note', '--note', '[1,2]')).out)).toEqual([1, 2]);
  });

  it('ends with 1 and the words of the tool on stderr when it fails', async () => {
    verifies('cli.streams');
    inDesk();
    const { code, out, err } = await call('get_ticket', '--id', '99');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('there is no ticket 99');
  });

  it('leaves it to the server to refuse a value that does not fit', async () => {
    inDesk();
    const { code, err } = await call('get_ticket', '--id', '007');
    expect(code).toBe(1);
    expect(err).toContain('422');
    expect(err).toContain('/id');
  });

  it('ends with 1 when the key may not, and never prints a key', async () => {
    verifies('cli.no-keys');
    inDesk();
    const { code, out, err } = await call('echo', '--place', 'here', '--as', 'reader');
    expect(code).toBe(1);
    expect(err).toContain('missing scope "desk:write"');
    const wrong = await call('get_ticket', '--id', '7', '--as', 'a-key-that-nobody-has');
    expect(wrong.code).toBe(1);
    const advice =
      'name a key with --as: reader is in READER_KEY, of the environment, .env or .waymark/dev.env; or give the key itself';
    expect(wrong.err).toMatch(/^401 /);
    expect(wrong.err.endsWith(`; ${advice}\n`)).toBe(true);
    const nobody = await waymark('call', 'get_ticket', '--id', '7', '--file', 'application.ts', door);
    expect(nobody).toMatchObject({ code: 1, out: '' });
    expect(nobody.err).toMatch(/^401 .*; name a key with --as: /);
    for (const key of ['operator-key-of-the-test', 'reader-key-of-the-test', 'a-key-that-nobody-has'])
      expect(out + err + wrong.out + wrong.err).not.toContain(key);
  });

  it.each([
    [
      ['get_tickt', '--id', '7'],
      'unknown tool "get_tickt", or this key may not see it; did you mean "get_ticket"?',
    ],
    [['get_ticket', '--ids', '7'], 'unknown option "--ids"; did you mean "--id"?'],
    [['get_ticket', '--id'], '--id needs a value'],
    [['get_ticket', 'seven'], 'there is nothing to do with "seven"'],
    [['get_ticket', '--url', ''], '--url needs a value'],
    [['get_ticket', '--as', 'nobody'], 'there is no key of "nobody": set NOBODY_KEY, or give the key itself'],
    [['get_ticket', '--json', '{id'], 'what follows --json is not JSON'],
    [
      ['get_ticket', '--json', '{"id":1234567890123456789}'],
      'what follows --json has 1234567890123456789, a number that',
    ],
    [['get_ticket', '--id', '1234567890123456789'], '--id has 1234567890123456789, a number that'],
    [['get_ticket', '--_', 'z'], 'unknown option "--_"'],
    [['get_ticket', '--no-_'], 'unknown option "--_"'],
    [['get_ticket', '--no-'], 'unknown option "--no-"'],
    [['get_ticket', '-_'], 'there is nothing to do with "-_"'],
    [['get_ticket', '--__proto__', '{}'], 'unknown option "--__proto__"'],
  ])('ends with 2 for %j', async ([tool = '', ...argv], words) => {
    inDesk();
    const { code, out, err } = await call(tool, ...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
  });
});

describe('waymark call', () => {
  it('refuses two doors, and a line without a tool', async () => {
    inDesk();
    expect((await waymark('call', 'plain', '--http', '--mcp')).code).toBe(2);
    expect((await waymark('call', '--id', '7')).err).toContain('name the tool first');
  });

  it.each(['_', '__proto__', 'constructor', 'no-'])(
    'gives a tool an argument that is called %s',
    async (name) => {
      const given: unknown[] = [];
      const listing = { tools: [{ name: 'take', inputSchema: { type: 'object' } }] };
      const answer = async (req: IncomingMessage): Promise<object> => {
        if (req.method !== 'POST') return listing;
        const { params } = (await json(req)) as { readonly params: { readonly arguments: object } };
        given.push(...Object.entries(params.arguments));
        return { result: { content: [], isError: false } };
      };
      const url = await foreign((req, res) => {
        res.setHeader('content-type', 'application/json');
        void answer(req).then((value) => res.end(JSON.stringify(value)));
      });
      inFolder();
      expect(await waymark('call', 'take', `--${name}`, 'z', '--url', url)).toMatchObject({
        code: 0,
        err: '',
      });
      expect(given).toEqual([[name, 'z']]);
    },
  );

  it('is refused a gated tool over MCP and allowed it over HTTP, like everybody', async () => {
    inDesk();
    const overMcp = await waymark('call', 'open_door', ...fromFile);
    expect(overMcp).toMatchObject({ code: 1, out: '' });
    expect(overMcp.err).toContain('requires human approval');
    expect(await waymark('call', 'open_door', '--http', ...fromFile)).toMatchObject({
      code: 0,
      out: 'open\n',
    });
  });

  it('asks a running server, with a key of .waymark/dev.env, a variable or as it is', async () => {
    stubKeys();
    const folder = inFolder({ 'application.ts': open });
    const url = await served(folder);
    const ask = (as: string) => waymark('call', 'get_ticket', '--id', '1', '--url', url, '--as', as);
    vi.stubEnv('READER_KEY', '');
    mkdirSync('.waymark');
    writeFileSync('.waymark/dev.env', 'CLERK_KEY=reader-key-of-the-test\nBAD_KEY=of-nobody-at-all-here\n');
    for (const as of ['clerk', 'CLERK_KEY', 'reader-key-of-the-test', 'operator'])
      expect(await ask(as)).toMatchObject({ code: 0, err: '' });
    expect(await ask('bad')).toMatchObject({ code: 1 });
    // What is set wins over the file.
    vi.stubEnv('BAD_KEY', 'reader-key-of-the-test');
    expect(await ask('bad')).toMatchObject({ code: 0 });
    // Over HTTP a key that may not read the document is helped by the file.
    const overHttp = ['call', 'get_ticket', '--id', '1', '--http', '--url', url, '--as', 'clerk'];
    expect(await waymark(...overHttp)).toMatchObject({ code: 1 });
    expect(await waymark(...overHttp, '--file', 'application.ts')).toMatchObject({ code: 0 });
  });

  it('says that nothing answers, and what to do', async () => {
    inFolder();
    vi.stubEnv('PORT', '1');
    const { code, err } = await waymark('call', 'get_ticket');
    expect(code).toBe(1);
    expect(err).toBe(
      'nothing answers at http://127.0.0.1:1: start it with waymark dev, or name another with --url or --file\n',
    );
  });

  it('never carries a key along with a redirect', async () => {
    inFolder();
    const seen: string[] = [];
    const url = await foreign((req, res) => {
      seen.push(req.url ?? '');
      res.writeHead(307, { location: '/elsewhere' }).end();
    });
    const argv = ['--url', url, '--as', 'a-key-that-nobody-has'];
    expect((await waymark('call', 'get_ticket', ...argv)).code).toBe(1);
    expect(seen).toEqual(['/_svc/tools']);
  });

  it('reads the last event of a tool that reports progress, and every item of its result', async () => {
    inFolder();
    const items = [
      { type: 'text', text: '{"a":1}' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ];
    const result = { jsonrpc: '2.0', id: 1, result: { content: items, isError: false } };
    const events = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n: still here\n\ndata: ${JSON.stringify(result)}\n\n`;
    const url = await foreign((req, res) => {
      if (req.method === 'POST') res.setHeader('content-type', 'text/event-stream').end(events);
      else res.end(JSON.stringify({ tools: [{ name: 'slow', inputSchema: { type: 'object' } }] }));
    });
    const { code, out } = await waymark('call', 'slow', '--url', url);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual([{ a: 1 }, items[1]]);
  });

  it.each(['--mcp', '--http'])('prints numbers as they came %s', async (door) => {
    verifies('cli.call');
    inFolder();
    const text = '{"id":1234567890123456789,"limit":1e999}';
    const url = await serveStock(() => text);
    const argv = ['call', 'stock', door, '--url', url];
    expect(await waymark(...argv)).toEqual({ code: 0, out: `${text}\n`, err: '' });
    expect((await waymark(...argv, '--json')).out).toBe(`{\n  "ok": true,\n  "value": ${text}\n}\n`);
  });

  it.each(['--mcp', '--http'])(
    'prints what is too deep to be indented, and what is no JSON, as it came %s',
    async (door) => {
      inFolder();
      let text = '';
      const url = await serveStock(() => text);
      const argv = ['call', 'stock', door, '--url', url];
      const list = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
      text = list(200);
      expect((await waymark(...argv)).out).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
      for (const one of [list(201), list(100_000), '{"id":']) {
        text = one;
        expect(await waymark(...argv)).toEqual({ code: 0, out: `${one}\n`, err: '' });
      }
      text = list(100_000);
      expect((await waymark(...argv, '--json')).out).toBe(`{\n  "ok": true,\n  "value": ${text}\n}\n`);
    },
  );

  it('gives programs what was answered, and a terminal what can be seen of it', async () => {
    inFolder();
    let isError = false;
    const url = await foreign((req, res) => {
      const content = [{ type: 'text', text: 'paid \u202e0005\u200b' }];
      res.end(
        req.method === 'POST'
          ? JSON.stringify({ result: { content, isError } })
          : JSON.stringify({ tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }),
      );
    });
    const argv = ['call', 'pay', '--url', url];
    expect((await waymark(...argv)).out).toBe('paid \u202e0005\u200b\n');
    const { isTTY } = process.stdout;
    onTestFinished(() => {
      process.stdout.isTTY = isTTY;
    });
    process.stdout.isTTY = true;
    expect((await waymark(...argv)).out).toBe('paid \\u202e0005\\u200b\n');
    isError = true;
    expect(await waymark(...argv)).toEqual({ code: 1, out: '', err: 'paid \\u202e0005\\u200b\n' });
  });

  it('finds tools under another prefix', async () => {
    const folder = inFolder({
      'application.ts': applicationText(
        `application.get('/one', { tool: true, toolName: 'one' }, () => 1);`,
        `{ controlPrefix: '/control' }`,
      ),
    });
    expect(await waymark('call', 'one', '--file', 'application.ts')).toMatchObject({ code: 0, out: '1\n' });
    const url = await served(folder);
    const argv = ['call', 'one', '--url', url, '--control-prefix', '/control'];
    expect(await waymark(...argv)).toMatchObject({ code: 0, out: '1\n' });
    expect(await waymark(...argv, '--http')).toMatchObject({ code: 0, out: '1\n' });
  });

  it('sends no dot segments over HTTP, which would reach another route', async () => {
    inFolder({
      'application.ts':
        applicationText(`application.get('/files/{rest*}', { tool: true, toolName: 'file' }, ({ rest }) => rest);
application.get('/notes/{id}', { tool: true, toolName: 'note' }, ({ id }) => id);`),
    });
    const call = (...argv: readonly string[]) => waymark('call', ...argv, '--file', 'application.ts');
    for (const argv of [
      ['file', '--rest', '../_svc/health'],
      ['note', '--id', '..'],
      ['note', '--id', '.'],
    ]) {
      expect(await call(...argv, '--http')).toMatchObject({ code: 2, out: '' });
      expect(await call(...argv)).toMatchObject({ code: 0, out: `${argv[2]}\n` });
    }
    expect(await call('file', '--rest', 'a/..b', '--http')).toMatchObject({ code: 0, out: 'a/..b\n' });
  });

  it('refuses what a query has no word for over HTTP, which would be another call', async () => {
    inFolder({
      'application.ts': applicationText(`application.get('/things',
  { tool: true, toolName: 'things', input: { ids: { type: 'array', items: { type: 'integer' }, default: [7] } } },
  ({ ids }) => ids);`),
    });
    const call = (ids: string, ...argv: readonly string[]) =>
      waymark('call', 'things', '--json', `{"ids":${ids}}`, '--file', 'application.ts', ...argv);
    expect(JSON.parse((await call('[]')).out)).toEqual({ ok: true, value: [] });
    for (const ids of ['[]', 'null', '[1,null]'])
      expect(await call(ids, '--http')).toMatchObject({
        code: 2,
        err: expect.stringContaining(`--ids cannot be ${ids} in a query; over MCP it can`) as string,
      });
    expect(JSON.parse((await call('[1,2]', '--http')).out)).toEqual({ ok: true, value: [1, 2] });
  });

  it('stops the application of a file again', async () => {
    inFolder({
      'application.ts': applicationText(`application.get('/one', { tool: true, toolName: 'one' }, () => 1);
application.add({ name: 'lamp', routes: [], stop: () => console.error('the lamp is off') });`),
    });
    const { code, err } = await waymark('call', 'one', '--file', 'application.ts');
    expect({ code, err }).toEqual({ code: 0, err: 'the lamp is off\n' });
  });

  it('leaves the cause of a bug in the log', async () => {
    inDesk();
    const { code, out, err } = await waymark('call', 'bug', ...fromFile);
    expect(code).toBe(1);
    expect(err).toContain('internal error');
    expect(out + err).not.toContain('secret');
  });
});
