import { createRouteTable } from '@waymark/contract';
import { type EngineContext, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { readConsoleFiles } from '../src/console-files.ts';
import { consolePlugin } from '../src/index.ts';

const { version, byName } = readConsoleFiles();

const ask = async (path: string, input: object = {}, options = {}): Promise<RouteResponse> => {
  const table = createRouteTable(consolePlugin(options).routes).freeze();
  const route = [...table].find((one) => one.path === path);
  // What these engines look at.
  const answer = await route?.engine.answer?.({ input } as EngineContext);
  if (answer instanceof RouteResponse) return answer;
  throw new Error(`${path} answers nothing`);
};

const textOf = ({ body }: RouteResponse): string =>
  body.kind === 'bytes' ? Buffer.from(body.bytes).toString() : '';

describe('consolePlugin', () => {
  it('serves a page and its files under the control prefix, and nothing else', () => {
    verifies('console.static');
    const { routes } = consolePlugin();
    expect(routes.map(({ method, path, plane, scopes }) => [method, path, plane, scopes])).toEqual([
      ['GET', '/console', 'control', []],
      ['GET', '/console/{version}/{file}', 'control', []],
    ]);
  });

  it('refers to files by relative addresses, without a script or style of its own', async () => {
    const page = textOf(await ask('/console'));
    expect(page).toContain(`<script type="module" src="console/${version}/console.js"></script>`);
    expect(page).not.toMatch(/<style|style=|\son\w+=|<script>|https?:/);
  });

  it('says where the control plane is, whatever it is called', async () => {
    expect(textOf(await ask('/console', {}, { controlPrefix: '/a"b' }))).toContain('content="/a&#34;b"');
  });

  it('says where a key for development is, and nothing of keys otherwise', async () => {
    verifies('console.development-key');
    const developmentKey = { variable: 'BOSS_KEY', file: '.waymark/"dev.env' };
    const developed = textOf(await ask('/console', {}, { developmentKey }));
    expect(developed).toContain('<meta name="development-key" content="BOSS_KEY .waymark/&#34;dev.env">');
    expect(textOf(await ask('/console'))).not.toMatch(/development-key|_KEY/);
  });

  it('lets nothing in but what the server itself gives', async () => {
    const { headers } = await ask('/console');
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-cache' });
    expect(headers['etag']).toMatch(/^"[0-9a-f]{16}"$/);
  });

  it.each(['console.js', 'console.css', 'icon.svg', 'licenses.txt'])('serves %s for good', async (file) => {
    const answer = await ask('/console/{version}/{file}', { version, file });
    expect(answer.headers['cache-control']).toContain('immutable');
    expect(answer.body).toMatchObject({ bytes: byName.get(file)?.bytes });
  });

  it.each([
    { version: 'another', file: 'console.js' },
    { version, file: '../package.json' },
    { version, file: 'nothing.js' },
  ])('has no $file of $version', async (input) => {
    await expect(ask('/console/{version}/{file}', input)).rejects.toMatchObject({ status: 404 });
  });
});
