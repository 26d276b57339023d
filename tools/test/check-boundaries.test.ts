import { describe, expect, it } from 'vitest';
import { checkBoundaries } from '../check-boundaries.ts';
import { manifest, plant } from './plant.ts';

const house = {
  'packages/contract/package.json': manifest('contract', 'typebox'),
  'packages/contract/src/index.ts': "import Type from 'typebox';\nexport { Type };\n",
  'packages/contract/src/testing/index.ts': "import 'node:timers';\n",
  'packages/http/package.json': manifest('http', '@waymark/contract', 'ws'),
  'packages/http/src/index.ts':
    "import '@waymark/contract';\nimport 'node:http';\nimport type { WebSocket } from 'ws';\n",
  'packages/http/test/index.test.ts':
    "import 'vitest';\nimport '@waymark/contract/testing';\nimport '../src/index.ts';\n",
  'packages/mcp/package.json': manifest('mcp', '@waymark/contract'),
  'packages/mcp/src/index.ts': 'export {};\n',
  'packages/client/package.json': manifest('client', 'ky'),
  'packages/client/src/index.ts': "import 'ky';\n",
  'apps/server/package.json': manifest('server', '@waymark/http', '@waymark/mcp', 'express'),
  'apps/server/src/index.ts': "import '@waymark/http';\nimport '@waymark/mcp';\nimport 'express';\n",
};

/** What the check says of the house with some files changed, as `file:line message`. */
function findings(changed: Readonly<Record<string, string | object>> = {}): string[] {
  return checkBoundaries(plant({ ...house, ...changed })).map(
    ({ file, line, message }) => `${file}:${line} ${message}`,
  );
}

describe('checkBoundaries', () => {
  it('has nothing to say of a house in order', () => {
    expect(findings()).toEqual([]);
  });

  it.each([
    ['packages/http/src/a.ts', 'import'],
    ['packages/http/test/a.test.ts', 'export * from'],
  ])('refuses a sibling in %s', (path, verb) => {
    expect(findings({ [path]: `\n${verb} '@waymark/mcp';\n` })).toEqual([
      `${path}:2 feature must not import @waymark/mcp`,
    ]);
  });

  it.each(["await import('@waymark/mcp');", "export type A = import('@waymark/mcp').B;"])(
    'sees %s',
    (line) => {
      expect(findings({ 'packages/http/src/a.ts': line })).toEqual([
        'packages/http/src/a.ts:1 feature must not import @waymark/mcp',
      ]);
    },
  );

  it('lets the pages of devices take in the runtime of clients, and nothing else of it', () => {
    const hub = {
      'packages/device-hub/package.json': {
        ...manifest('device-hub', '@waymark/contract'),
        devDependencies: { '@waymark/client-gen': '^0.1.0' },
      },
      'packages/client-gen/package.json': {
        ...manifest('client-gen', '@waymark/contract'),
        exports: { '.': './src/index.ts', './runtime': './src/connect.ts' },
      },
    };
    const line = "import '@waymark/client-gen/runtime';\n";
    expect(findings({ ...hub, 'packages/device-hub/browser/view/main.ts': line })).toEqual([]);
    expect(
      findings({
        ...hub,
        'packages/device-hub/src/hub.ts': line,
        'packages/device-hub/browser/view/main.ts': "import '@waymark/client-gen';\n",
      }).sort(),
    ).toEqual([
      'packages/device-hub/browser/view/main.ts:1 feature must not import @waymark/client-gen',
      'packages/device-hub/src/hub.ts:1 feature must not import @waymark/client-gen/runtime',
    ]);
  });

  it('keeps contract/testing out of the sources of a feature', () => {
    expect(findings({ 'packages/http/src/a.ts': "import '@waymark/contract/testing';\n" })).toEqual([
      'packages/http/src/a.ts:1 feature must not import @waymark/contract/testing',
    ]);
  });

  it('refuses a sibling in a manifest', () => {
    expect(
      findings({ 'packages/mcp/package.json': manifest('mcp', '@waymark/contract', '@waymark/http') }),
    ).toEqual(['packages/mcp/package.json:13 feature must not depend on @waymark/http']);
  });

  it('lets contract import typebox only', () => {
    expect(findings({ 'packages/contract/src/a.ts': "import '@waymark/http';\n" })).toEqual([
      'packages/contract/src/a.ts:1 contract must not import @waymark/http',
    ]);
  });

  it('keeps node: out of contract, its testing entry excepted', () => {
    expect(findings({ 'packages/contract/src/a.ts': "import 'node:fs';\n" })).toEqual([
      'packages/contract/src/a.ts:1 contract does no I/O: node:fs is allowed in src/testing only',
    ]);
  });

  it('lets the client import ky only', () => {
    expect(findings({ 'packages/client/src/a.ts': "import '@waymark/contract';\n" })).toEqual([
      'packages/client/src/a.ts:1 client must not import @waymark/contract',
    ]);
  });

  it('gives each library one owner', () => {
    expect(findings({ 'packages/mcp/src/a.ts': "import 'ws';\n" })).toEqual([
      'packages/mcp/src/a.ts:1 ws belongs to packages/http, not to packages/mcp',
    ]);
    expect(findings({ 'packages/mcp/package.json': manifest('mcp', 'ws') })).toEqual([
      'packages/mcp/package.json:12 ws belongs to packages/http, not to packages/mcp',
    ]);
  });

  it('lets core-routes import the validators of typebox and not typebox itself', () => {
    const packageJson = manifest('core-routes', 'typebox');
    const source = "import 'typebox/value';\nimport 'typebox';\n";
    expect(
      findings({
        'packages/core-routes/package.json': packageJson,
        'packages/core-routes/src/index.ts': source,
      }),
    ).toEqual([
      'packages/core-routes/src/index.ts:2 typebox belongs to packages/contract, not to packages/core-routes',
    ]);
  });

  it('refuses a library without an owner', () => {
    const said = 'left-pad has no owner: add a row to the table in tools/check-boundaries.ts';
    expect(findings({ 'packages/mcp/src/a.ts': "import 'left-pad';\n" })).toEqual([
      `packages/mcp/src/a.ts:1 ${said}`,
    ]);
    expect(findings({ 'packages/mcp/package.json': manifest('mcp', 'left-pad') })).toEqual([
      `packages/mcp/package.json:12 ${said}`,
    ]);
  });

  it('asks for every import in the manifest of its own package', () => {
    expect(findings({ 'packages/http/package.json': manifest('http', 'ws') })).toEqual([
      'packages/http/src/index.ts:1 @waymark/contract is not declared in packages/http/package.json',
      'packages/http/test/index.test.ts:2 @waymark/contract is not declared in packages/http/package.json',
    ]);
  });

  it('counts a library of development for sources too, since it is taken into what is built', () => {
    const packageJson = { ...manifest('http', '@waymark/contract'), devDependencies: { ws: '1.0.0' } };
    expect(findings({ 'packages/http/package.json': packageJson })).toEqual([]);
  });

  it('counts a package of ours that is for development for tests and not for sources', () => {
    const ours = { '@waymark/contract': '^0.1.0' };
    const packageJson = { ...manifest('http', 'ws'), devDependencies: ours };
    expect(findings({ 'packages/http/package.json': packageJson })).toEqual([
      'packages/http/src/index.ts:1 @waymark/contract is not declared in packages/http/package.json',
    ]);
  });

  it('asks who owns what is loaded late', () => {
    const source = "const load = createRequire(import.meta.url);\nload('ws');\n";
    expect(findings({ 'packages/mcp/src/a.ts': source })).toEqual([
      'packages/mcp/src/a.ts:2 ws belongs to packages/http, not to packages/mcp',
    ]);
  });

  it('refuses an import past the exports of a package', () => {
    expect(findings({ 'apps/server/src/a.ts': "import '@waymark/http/src/index.ts';\n" })).toEqual([
      'apps/server/src/a.ts:1 deep import: @waymark/http/src/index.ts is not exported by @waymark/http',
    ]);
  });

  it.each(['apps/server/src/a.ts', 'packages/mcp/test/a.test.ts'])(
    'refuses a way out of the package in %s',
    (path) => {
      const target = '../../../packages/http/src/index.ts';
      expect(findings({ [path]: `import '${target}';\n` })).toEqual([
        `${path}:1 relative import leaves the package: ${target}`,
      ]);
    },
  );

  it('lets e2e compose the reference application', () => {
    const source =
      "import '../../apps/server/example/application.ts';\nimport '../../apps/server/examples.ts';\n";
    expect(findings({ 'e2e/package.json': { name: '@waymark/e2e' }, 'e2e/test/a.test.ts': source })).toEqual([
      'e2e/test/a.test.ts:2 relative import leaves the package: ../../apps/server/examples.ts',
    ]);
  });

  it('lets e2e import any library it declares and nothing by a path into a package', () => {
    const packageJson = { name: '@waymark/e2e', dependencies: { ajv: '1.0.0' } };
    const source =
      "import 'ajv';\nimport '../../vitest.shared.ts';\nimport '../../apps/server/src/index.ts';\n";
    expect(findings({ 'e2e/package.json': packageJson, 'e2e/test/a.test.ts': source })).toEqual([
      'e2e/test/a.test.ts:3 relative import leaves the package: ../../apps/server/src/index.ts',
    ]);
  });

  it('reports packages that depend on each other in a circle', () => {
    expect(
      findings({
        'packages/http/package.json': manifest('http', '@waymark/contract', 'ws', '@waymark/server'),
      }),
    ).toEqual([
      'packages/http/package.json:14 feature must not depend on @waymark/server',
      'apps/server/package.json:1 packages depend on each other in a circle: @waymark/server → @waymark/http → @waymark/server',
    ]);
  });
});
