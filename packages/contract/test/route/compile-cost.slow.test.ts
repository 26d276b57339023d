import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

/** More than this for a route, and editors begin to wait. */
const maxInstantiationsPerRoute = 3_000;

const root = mkdtempSync(join(tmpdir(), 'waymark-compile-cost-'));
afterAll(() => rmSync(root, { recursive: true }));

/** One route in each form of input, output and path; four schemas each, and names that do not repeat. */
const forms: readonly ((n: number) => string)[] = [
  (n) => `defineRoute('GET', '/f${n}/{id}/summary', {
  input: { id: Type.Integer(), style${n}: Type.String({ default: 'short' }), lang: Type.Optional(Type.String()) },
  output: Type.Object({ id: Type.Integer(), text${n}: Type.String() }),
  tool: true,
}, ({ id, style${n}, lang }) => ({ id, text${n}: style${n} + (lang ?? '') })),`,
  (n) => `defineRoute('POST', '/f${n}', {
  input: { title${n}: Type.String(), urgent: Type.Boolean({ default: false }) },
  output: { 201: Type.Object({ id: Type.Integer(), title${n}: Type.String() }), 409: Type.Object({ title: Type.String() }) },
}, ({ title${n}, urgent }) => (urgent ? reply(409, { title: 'full' }) : reply(201, { id: 1, title${n} }))),`,
  (n) => `defineRoute('PUT', '/f${n}/{a}/{b}/{rest*}', {
  input: { a: Type.Integer(), notify${n}: from('query', Type.Boolean()), tags: Type.Array(Type.String()), note: Type.Optional(Type.String()) },
}, ({ a, b, rest, notify${n}, tags, note }) => [a, b, rest, notify${n}, tags, note]),`,
  (n) => `defineRoute('PATCH', '/f${n}/{id}', {
  input: { type: 'object', properties: { id: { type: 'integer' }, email${n}: { type: 'string' }, age: { type: 'integer' } }, required: ['id', 'email${n}'] },
  output: { 200: Type.Object({ id: Type.Integer() }), 204: Type.Null(), 404: Type.Object({ title: Type.String() }) },
}, ({ id, email${n}, age }) => (age === undefined ? undefined : email${n} === '' ? reply(404, { title: 'x' }) : { id })),`,
  (n) => `defineRoute('POST', '/f${n}/import', {
  input: { rows: from('content', Type.Array(Type.Object({ id${n}: Type.Integer(), name: Type.String() }))) },
  output: Type.Object({ done${n}: Type.Integer() }),
}, async function* ({ rows }) {
  for (const { id${n} } of rows) yield { event: 'progress', data: { row: id${n} } };
  return { done${n}: rows.length };
}),`,
  (n) => `defineRoute('POST', '/f${n}/library', {
  input: { order: ofLibrary<{ count${n}: number; note?: string }>(), dry: from('query', ofLibrary<boolean>()), size: ofLibrary<'s' | 'm'>(), at: ofLibrary<Date>() },
  output: { 200: ofLibrary<{ count${n}: number; year: number }>(), 404: ofLibrary<{ title: string }>() },
}, ({ order, dry, at }) => (dry ? reply(404, { title: 'dry' }) : { count${n}: order.count${n}, year: at.getFullYear() })),`,
];

/** Compiles a table of so many routes and reads how many types the compiler had to instantiate. */
function instantiations(routes: number): number {
  const dir = join(root, String(routes));
  const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
  const require = createRequire(import.meta.url);
  mkdirSync(dir);
  writeFileSync(
    join(dir, 'routes.mts'),
    [
      "import Type from 'typebox';",
      "import { defineRoute, from, reply, type Route } from '@waymark/contract'; import type { StandardSchema } from '@waymark/contract/schema';",
      'declare const ofLibrary: <T>() => StandardSchema<unknown, T>;',
      'export const routes: readonly Route[] = [',
      ...Array.from({ length: routes }, (_, n) => forms[n % forms.length]?.(n)),
      '];',
      'export const unused = [Type, from, reply, defineRoute];',
    ].join('\n'),
  );
  writeFileSync(
    join(dir, 'tsconfig.json'),
    JSON.stringify({
      extends: path('../../../../tsconfig.base.json'),
      compilerOptions: {
        paths: {
          '@waymark/contract': [path('../../src/index.ts')],
          '@waymark/contract/schema': [path('../../src/schema/index.ts')],
          typebox: [fileURLToPath(import.meta.resolve('typebox')).replace(/\.mjs$/, '.d.mts')],
        },
        typeRoots: [dirname(dirname(require.resolve('@types/node/package.json')))],
      },
      files: ['routes.mts'],
    }),
  );
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const { stdout, status } = spawnSync(
    process.execPath,
    [tsc, '-p', dir, '--extendedDiagnostics', '--singleThreaded'],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the generated routes do not compile:\n${stdout}`);
  return Number(/^Instantiations:\s+(\d+)$/m.exec(stdout)?.[1]);
}

describe('compile cost', () => {
  it(`stays under ${maxInstantiationsPerRoute} instantiations for each of 1,000 routes`, () => {
    const few = 100;
    const many = 1_000;
    const perRoute = Math.round((instantiations(many) - instantiations(few)) / (many - few));
    console.log(`compile cost: ${perRoute} instantiations a route`);
    expect(perRoute).toBeGreaterThan(0);
    expect(perRoute).toBeLessThan(maxInstantiationsPerRoute);
  });
});
