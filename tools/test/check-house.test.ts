import { describe, expect, it } from 'vitest';
import { checkHouse, measureHouse } from '../check-house.ts';
import { manifest, plant } from './plant.ts';

/** What the check says of a package. */
function findings(
  files: Readonly<Record<string, string>>,
  allowed: Readonly<Record<string, number>> = {},
): string[] {
  const sources = Object.entries(files).map(([path, text]) => [`packages/http/src/${path}`, text]);
  const root = plant({ 'packages/http/package.json': manifest('http'), ...Object.fromEntries(sources) });
  return checkHouse(root, allowed).map(({ file, line, message }) => `${file}:${line} ${message}`);
}

const src = 'packages/http/src';

/** A function of so many lines. */
const lines = (count: number): string => `function long() {\n${'  go();\n'.repeat(count - 2)}}\n`;

describe('checkHouse', () => {
  it('is content with a house in order', () => {
    expect(
      findings({ 'index.ts': "export { a } from './a.ts';\n", 'a.ts': 'export const a = 1;\n' }),
    ).toEqual([]);
  });

  it('finds files that import each other, types included, and shows the way round', () => {
    const circle = {
      'a.ts': "\nimport type { B } from './b.ts';\nexport type A = B;\n",
      'b.ts': "import { c } from './c.ts';\nexport type B = typeof c;\n",
      'c.ts': "import type { A } from './a.ts';\nexport const c = (a: A) => a;\n",
      'd.ts': "import type { A } from './a.ts';\nexport type D = A;\n",
    };
    const way = 'a.ts → b.ts → c.ts → a.ts';
    expect(findings(circle)).toEqual([`${src}/a.ts:2 3 files import each other: ${way} (0 at most)`]);
  });

  it('counts all circles of a package together', () => {
    const pair = (a: string, b: string) => ({
      [`${a}.ts`]: `export type { B } from './${b}.ts';\n`,
      [`${b}.ts`]: `export type B = typeof import('./${a}.ts');\n`,
    });
    const found = findings({ ...pair('a', 'b'), ...pair('c', 'd') }, { 'circle packages/http': 3 });
    const ways = 'a.ts → b.ts → a.ts; c.ts → d.ts → c.ts';
    expect(found).toEqual([`${src}/a.ts:1 4 files import each other: ${ways} (3 at most)`]);
  });

  it('finds a folder of more than 25 files, those below it not counted', () => {
    const files = (count: number, folder: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}f${i + 10}.ts`, 'export {};\n']));
    expect(findings({ ...files(25, ''), ...files(25, 'below/') })).toEqual([]);
    expect(findings(files(26, 'below/'))).toEqual([
      `${src}/below/f10.ts:1 26 files in the folder ${src}/below (25 at most)`,
    ]);
  });

  it.each([
    ['long', lines],
    ['long', (count: number) => `const long = ${lines(count).replace('long', '')}`],
    ['long', (count: number) => `const long = ${lines(count).replace('function long()', '() =>')}`],
    ['long', (count: number) => `class A { ${lines(count).replace('function ', '')} }`],
    ['a function', (count: number) => `go(${lines(count).replace('long', '').trimEnd()});`],
  ])('finds %s of more than 90 lines', (name, source) => {
    expect(findings({ 'a.ts': `\n${source(90)}` })).toEqual([]);
    expect(findings({ 'a.ts': `\n${source(91)}` })).toEqual([
      `${src}/a.ts:2 91 lines in ${name} (90 at most)`,
    ]);
  });

  it.each([
    "if (route.engine.kind === 'agent') go();",
    "const is = route?.engine.kind !== 'agent';",
    'switch (engine.kind) { default: }',
    'const group = groups[engine.kind];',
    'if (kinds.includes(route.engine.kind)) go();',
    'const { kind } = route.engine;',
    'function f({ engine: { kind } }: Route) { return kind; }',
  ])('finds who decides by the kind of an engine in %j', (source) => {
    const message = '1 decisions by `engine.kind`: put a fact on the route (0 at most)';
    expect(findings({ 'a.ts': `\n${source}\n` })).toEqual([`${src}/a.ts:2 ${message}`]);
  });

  it.each(['const row = { engine: route.engine.kind };', "if (step.kind === 'agent') go();"])(
    'lets who shows it, and other kinds, in %j',
    (source) => expect(findings({ 'a.ts': source })).toEqual([]),
  );

  it('lets listings decide by it', () => {
    const path = 'packages/openapi/src/tags.ts';
    const root = plant({
      'packages/openapi/package.json': manifest('openapi'),
      [path]: "if (engine.kind === 'agent') go();",
    });
    expect(checkHouse(root, {})).toEqual([]);
  });

  it('finds an entry of more than 60 names, and of more than 45 where people declare', () => {
    const names = (count: number) =>
      Array.from({ length: count }, (_, i) => `export const n${i} = ${i};\n`).join('');
    const found = (most: number, main: number) =>
      checkHouse(
        plant({
          'packages/http/package.json': manifest('http'),
          'packages/http/src/index.ts': names(most),
          'packages/contract/package.json': manifest('contract'),
          'packages/contract/src/index.ts': names(main),
          'packages/contract/src/testing/index.ts': names(most),
        }),
        {},
      ).map(({ file, message }) => `${file} ${message}`);
    expect(found(60, 45)).toEqual([]);
    expect(found(61, 46)).toEqual([
      'packages/contract/src/index.ts 46 names at @waymark/contract (45 at most)',
      'packages/contract/src/testing/index.ts 61 names at @waymark/contract/testing (60 at most)',
      'packages/http/src/index.ts 61 names at @waymark/http (60 at most)',
    ]);
  });

  it('lets what is over its limit stay as it is, and wants to be told when it shrinks', () => {
    const key = `function ${src}/a.ts long`;
    const loose = (so: string) => [`tools/check-house.ts:1 "${key}" may be 100, and is less: ${so}`];
    expect(findings({ 'a.ts': lines(100) }, { [key]: 100 })).toEqual([]);
    expect(findings({ 'a.ts': lines(101) }, { [key]: 100 })).toEqual([
      `${src}/a.ts:1 101 lines in long (100 at most)`,
    ]);
    expect(findings({ 'a.ts': lines(95) }, { [key]: 100 })).toEqual(loose('write 95'));
    expect(findings({ 'a.ts': lines(90) }, { [key]: 100 })).toEqual(loose('remove its row'));
  });
});

describe('measureHouse', () => {
  it('says all numbers, those within their limits as well, but for the generated client', () => {
    const root = plant({
      'packages/http/package.json': manifest('http'),
      'packages/http/src/index.ts': 'export const a = () => 1;\n',
      'packages/client/package.json': manifest('client'),
      'packages/client/src/index.ts': lines(300),
    });
    const numbers = measureHouse(root).map(({ rule, subject, value }) => `${rule} ${subject}: ${value}`);
    expect(numbers).toEqual([
      `folder ${src}: 1`,
      `function ${src}/index.ts a: 1`,
      'names @waymark/http: 1',
      'names @waymark/http/testing: 0',
    ]);
  });
});
