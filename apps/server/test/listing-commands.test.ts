import { readFileSync } from 'node:fs';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, vi } from 'vitest';
import { applicationText, desk, inFolder, stubKeys, waymark } from './command-line.ts';
import { ask, secret, serve } from './serve.ts';

const files = { 'application.ts': desk };

/** The application of a folder, as the commands load it. */
async function load(folder: string) {
  const { application } = (await import(`${folder}/application.ts`)) as {
    application: Parameters<typeof serve>[0];
  };
  return application;
}

describe('waymark routes', () => {
  it('lists every route in columns, without the keys that serving needs', async () => {
    verifies('cli.routes');
    inFolder(files);
    const { code, out } = await waymark('routes');
    expect(code).toBe(0);
    const [header = '', first = '', ...rest] = out.trimEnd().split('\n');
    expect(header).toMatch(/^METHOD +PATH +TOOL +SCOPES +APPROVAL +ENGINE$/);
    expect(first).toMatch(/^GET +\/tickets\/\{id\} +get_ticket +desk:read +never +handler$/);
    expect(first.indexOf('get_ticket')).toBe(header.indexOf('TOOL'));
    expect(out).toMatch(/^POST +\/door +open_door +- +required +handler$/m);
    expect(out).toMatch(/^GET +\/hidden +- +- +never +handler$/m);
    expect(out).toMatch(/^GET +\/_svc\/routes +- +svc:admin +never +control$/m);
    expect(out).toMatch(/^GET +\/_svc\/health +- +- +never +control$/m);
    expect(rest.at(-1)).toMatch(/^POST +\/_svc\/mcp +- +mcp +never +control$/);
  });

  it('prints the rows of the listing as JSON', async () => {
    stubKeys();
    const folder = inFolder(files);
    const { out } = await waymark('routes', '--json');
    const { url } = await serve(await load(folder), { port: 0 });
    const { body } = await ask(`${url}/_svc/routes`, { key: 'operator-key-of-the-test' });
    expect(JSON.parse(out)).toEqual(body);
  });

  it('leaves out what is no tool when asked to', async () => {
    inFolder(files);
    const { out } = await waymark('routes', '--tools', '--json');
    const { routes } = JSON.parse(out) as { routes: { tool: string }[] };
    expect(routes.map(({ tool }) => tool)).toEqual([
      ...['get_ticket', 'echo', 'note', 'open_door', 'bug', 'plain'],
    ]);
  });

  it('ends with 78 and the place when a route is declared wrongly', async () => {
    inFolder({ 'application.ts': applicationText(`application.get('no-slash', () => 1);`) });
    const { code, out, err } = await waymark('routes');
    expect(code).toBe(78);
    expect(out).toBe('');
    expect(err).toMatch(/application\.ts:3 {2}route GET no-slash/);
  });
});

describe('waymark tools', () => {
  it('lists names, scopes, sizes and the first line of each description', async () => {
    verifies('cli.tools');
    inFolder(files);
    const { code, out } = await waymark('tools');
    expect(code).toBe(0);
    expect(out).toMatch(/^get_ticket +desk:read +~\d+ +Read a ticket\.$/m);
    expect(out).not.toContain('Its history too');
    expect(out).toMatch(/^6 tools, about \d+ tokens/m);
  });

  it('prints the rows of the listing as JSON', async () => {
    stubKeys();
    const folder = inFolder(files);
    const { out } = await waymark('tools', '--json');
    vi.stubEnv('SHOP_KEY', secret);
    const scopes = ['mcp', 'desk:read', 'desk:write'];
    const { url } = await serve((await load(folder)).apiKey('SHOP_KEY', 'all', { scopes }), { port: 0 });
    const { body } = await ask(`${url}/_svc/tools`, { key: secret });
    expect(JSON.parse(out)).toEqual(body);
  });

  it('shows what one key sees', async () => {
    stubKeys();
    inFolder(files);
    const { code, out } = await waymark('tools', '--as', 'reader', '--json');
    expect(code).toBe(0);
    const { tools } = JSON.parse(out) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['get_ticket', 'note', 'open_door', 'bug', 'plain']);
  });

  it('ends with 1 and says what is missing when a key may not list tools', async () => {
    stubKeys();
    inFolder(files);
    const { code, err } = await waymark('tools', '--as', 'operator');
    expect(code).toBe(1);
    expect(err).toBe('403 missing scope "mcp"; mcpScopes says who may list the tools\n');
  });

  it('ends with 2 for a name that has no key', async () => {
    stubKeys();
    inFolder(files);
    const { code, err } = await waymark('tools', '--as', 'nobody');
    expect(code).toBe(2);
    expect(err).toContain('there is no key of "nobody": set NOBODY_KEY');
  });
});

describe('waymark openapi', () => {
  it('prints the document that the server answers, the same bytes each time', async () => {
    verifies('cli.openapi');
    stubKeys();
    const folder = inFolder(files);
    const { code, out } = await waymark('openapi');
    expect(code).toBe(0);
    expect((await waymark('openapi', '--json')).out).toBe(out);
    const { url } = await serve(await load(folder), { port: 0 });
    const { body } = await ask(`${url}/_svc/openapi.json`, { key: 'operator-key-of-the-test' });
    expect(JSON.parse(out)).toEqual(body);
  });

  it('writes it to a file and says so', async () => {
    inFolder(files);
    const { out } = await waymark('openapi');
    expect(await waymark('openapi', '--out', 'api.json')).toEqual({
      code: 0,
      out: 'wrote api.json\n',
      err: '',
    });
    expect(readFileSync('api.json', 'utf8')).toBe(out);
    expect((await waymark('openapi', '--out', 'api.json', '--json')).out).toBe('{"file":"api.json"}\n');
  });
});

describe('waymark security', () => {
  it('prints the report that the server answers', async () => {
    verifies('cli.security');
    stubKeys();
    const folder = inFolder(files);
    const { code, out } = await waymark('security', '--json');
    expect(code).toBe(0);
    const { url } = await serve(await load(folder), { port: 0 });
    const { body } = await ask(`${url}/_svc/security`, { key: 'operator-key-of-the-test' });
    expect(JSON.parse(out)).toEqual(body);
  });
});
