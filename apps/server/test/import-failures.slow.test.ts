import { join } from 'node:path';
import { byTier } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { explainImport } from '../src/cli/load/explain-import.ts';
import { applicationText, inFolder, type Printed } from './command-line.ts';
import { type Program, run } from './running.ts';

const cli = 'apps/server/bin/waymark.js';

/** The command line in a process of its own: what a module of node says depends on who loads it. */
function waymark(folder: string, ...argv: readonly string[]): Program {
  const program = run([cli, ...argv], { cwd: folder });
  onTestFinished(async () => {
    program.child.kill('SIGKILL');
    await program.ended();
  });
  return program;
}

/** An application whose type nobody checks. */
const named = `import { createApplication } from '@waymark/server';\nconst app = createApplication('desk') as any;`;

/** Code, the place, what is wrong and what to write. */
const mistakes: readonly (readonly [string, string, string, string, string | undefined])[] = [
  [
    'a package that is not there',
    `import { z } from 'not-installed/deep';`,
    '1:19',
    'there is no package "not-installed"',
    'npm install not-installed',
  ],
  [
    'a package with a scope',
    `export {};\nawait import("@nobody/has-it");`,
    '2:14',
    'there is no package "@nobody/has-it"',
    'npm install @nobody/has-it',
  ],
  [
    'a misspelt package of ours',
    `import { createApplication } from '@waymark/servr';`,
    '1:35',
    'there is no package "@waymark/servr"',
    `write '@waymark/server', or npm install @waymark/servr`,
  ],
  [
    'a file that is not there',
    `import './nowhere.ts';`,
    '1:8',
    'there is no file nowhere.ts',
    'name a file that is there, or write it',
  ],
  ['a file without its ending', `import './other';`, '1:8', 'there is no file other', `write './other.ts'`],
  [
    'a file as compilers write it',
    `import './other.js';`,
    '1:8',
    'there is no file other.js',
    `write './other.ts'`,
  ],
  ['a misspelt file', `import './ohter.ts';`, '1:8', 'there is no file ohter.ts', `write './other.ts'`],
  ['a folder', `import './lib';`, '1:8', 'lib is a folder', `write './lib/index.ts'`],
  ['a module that node lacks', `import 'node:fss';`, '1:8', 'node has no module "node:fss"', undefined],
  [
    'an enum',
    `const a = 1;\nenum Color { Red }\nexport default a;`,
    '2:1',
    'enums need a compiler',
    `write a const object, or a union of texts: type Color = 'red' | 'blue'`,
  ],
  [
    'a namespace',
    'namespace A { export const x = 1; }',
    '1:1',
    'namespaces need a compiler',
    'write a file of its own and export from it',
  ],
  [
    'a parameter property',
    'class A {\n  constructor(private x: number) {}\n}',
    '2:23',
    'parameter properties need a compiler',
    'declare the field and assign it in the constructor',
  ],
  [
    'import equals',
    `import x = require('fs');`,
    '1:1',
    'import … = needs a compiler',
    `write import name from 'package'`,
  ],
  ['export equals', 'export = 1;', '1:1', 'export = needs a compiler', 'write export default'],
  [
    'a decorator',
    'const d = 1;\nclass A { @d x = 1; }',
    '2:11',
    'decorators need a compiler',
    'call the function instead',
  ],
  [
    'a type that is imported as a value',
    `import { Only } from './other.ts';`,
    '1:10',
    `The requested module './other.ts' does not provide an export named 'Only'`,
    'if it is a type, write: import type { Only }',
  ],
  [
    'JSON without its type',
    `import data from './data.json';`,
    '1:18',
    'data.json is imported without its type',
    "write with { type: 'json' } behind it",
  ],
  [
    'a slip of the pen',
    'const x: number = 1;\nexport default x +;',
    '2:19',
    'the code cannot be read: Expression expected',
    undefined,
  ],
  [
    'an end that comes too early',
    'const x: number = 1;\nexport default Number(',
    '2',
    'the code cannot be read: Expression expected',
    undefined,
  ],
  [
    'a name that is declared twice',
    `export const x: number = 1;\nlet a = 1; let a = 2;`,
    '2:16',
    "the code cannot be read: Identifier 'a' has already been declared",
    undefined,
  ],
  [
    'a misspelt method of an application',
    `${named}\napp.gett('/', () => 1);`,
    '3:5',
    'app.gett is not a function',
    'write get, which an application has',
  ],
  [
    'a method of an application behind what is none',
    `${named}\nexport default app.memory('notes').get('/', () => 1);`,
    '3:36',
    'app.memory(...).get is not a function',
    'call get of the application itself: what stands before it gives something else',
  ],
  [
    'one behind others',
    `${named}\nexport default app.get('/', () => 1).Query('GET', '/x', 'select 1');`,
    '3:38',
    'app.get(...).Query is not a function',
    'write query, which an application has',
  ],
];

/** Runs commands in one process, each in a folder of its own with these files. */
async function saidOf(
  commands: readonly (readonly [files: Readonly<Record<string, string>>, ...argv: readonly string[]])[],
): Promise<readonly Printed[]> {
  const files = commands.flatMap(([own], i) =>
    Object.entries(own).map(([name, text]) => [`${i}/${name}`, text]),
  );
  const folder = inFolder(Object.fromEntries(files) as Record<string, string>);
  const lines = commands.map(([, ...argv], i) => [join(folder, String(i)), ...argv]);
  const program = run(['apps/server/test/run-commands.ts', JSON.stringify(lines)]);
  expect([await program.ended(), program.stderr()]).toEqual([0, '']);
  return JSON.parse(program.stdout()) as readonly Printed[];
}

/** What a command says of each mistake, by its name. */
async function saidOfMistakes(...argv: readonly string[]): Promise<Readonly<Record<string, Printed>>> {
  const beside = { 'other.ts': 'export type Only = 1;', 'lib/index.ts': '', 'data.json': '{}' };
  const said = await saidOf(mistakes.map(([, code]) => [{ 'application.ts': code, ...beside }, ...argv]));
  return Object.fromEntries(said.map((one, i) => [mistakes[i]?.[0], one]));
}

describe('code that cannot be read', () => {
  it('is reported by start with its place and its fix', async () => {
    const expected = mistakes.map(([name, , place, text, fix]) => {
      const err = `application.ts:${place}  ${text}${fix === undefined ? '' : `; ${fix}`}\n`;
      return [name, { code: 1, out: '', err }];
    });
    expect(await saidOfMistakes('start')).toEqual(Object.fromEntries(expected));
  });

  it('is a finding of check with its place and its fix', async () => {
    for (const [name, said] of Object.entries(await saidOfMistakes('check', '--json'))) {
      const [, , place = '', text, fix] = mistakes.find(([one]) => one === name) ?? [];
      const [line, column] = place.split(':').map(Number);
      const at = { file: 'application.ts', line, ...(column !== undefined && { column }) };
      const finding = { severity: 'error', text, at, ...(fix !== undefined && { fix }) };
      expect([name, said.code, JSON.parse(said.out)]).toEqual([name, 1, { findings: [finding] }]);
    }
  });

  it('is no code at all where a file of another type is named as the application', async () => {
    const types = ['json', 'wasm', 'node'];
    const said = await saidOf(types.map((type) => [{ [`x.${type}`]: '{}' }, 'check', `x.${type}`]));
    for (const [i, type] of types.entries()) {
      const text = `x.${type} is ${type.toUpperCase()}, not the module of an application`;
      const out = `problem: ${text}\n    fix: name the .ts or .js file that exports it\n1 problem, 0 warnings\n`;
      expect(said[i]).toEqual({ code: 1, out, err: '' });
    }
  });

  it('is reported by every command that reads an application, and by check as a problem', async () => {
    const files = { 'application.ts': `import './nowhere.ts';` };
    const line = 'application.ts:1:8  there is no file nowhere.ts; name a file that is there, or write it\n';
    const said = await saidOf([
      [files, 'routes', '--json'],
      [files, 'openapi'],
      [files, 'security'],
      [files, 'mcp-config', '--client', 'claude'],
      [files, 'check'],
    ]);
    const problem =
      'application.ts:1:8  problem: there is no file nowhere.ts\n    fix: name a file that is there, or write it\n1 problem, 0 warnings\n';
    expect(said).toEqual([
      ...Array.from({ length: 4 }, () => ({ code: 1, out: '', err: line })),
      { code: 1, out: problem, err: '' },
    ]);
    const dev = waymark(inFolder(files), 'dev');
    await dev.saying(/Failed running/);
    expect(dev.stderr()).toBe(line);
  });

  it('is found in another file, of JavaScript too', async () => {
    const folder = inFolder({
      'application.ts': `import './parts/desk.js';`,
      'parts/desk.js': 'const a = 1;\nconst b = ;',
    });
    const program = waymark(folder, 'check');
    expect(await program.ended()).toBe(1);
    expect(program.stdout()).toContain(
      "parts/desk.js:2:11  problem: the code cannot be read: Unexpected token ';'",
    );
  });

  it('says which Node runs TypeScript, and that none runs JSX', async () => {
    const explained = async (name: string, ending: string): Promise<unknown> => {
      const message = `Unknown file extension "${ending}" for ${process.cwd()}/${name}${ending}`;
      const error = Object.assign(new TypeError(message), { code: 'ERR_UNKNOWN_FILE_EXTENSION' });
      return ((await explainImport(error, `${name}${ending}`)) as Error).message;
    };
    expect(await explained('application', '.ts')).toBe(
      `Node ${process.versions.node} does not run TypeScript, which application.ts is; npm run and npx take the Node that this application brings`,
    );
    const folder = inFolder({ 'application.ts': `import './view.tsx';`, 'view.tsx': '' });
    const program = waymark(folder, 'check');
    expect(await program.ended()).toBe(1);
    expect(program.stdout()).toContain(
      'problem: view.tsx ends with ".tsx", which node does not run\n    fix: write',
    );
  });

  it('is told from what it throws by itself: that has its place, its causes, and what called it, in a line', async () => {
    const said = await saidOf([
      [{ 'application.ts': `${applicationText('')}\nJSON.parse('{');` }, 'start'],
      [{ 'application.ts': `${named}\napp.frobnicate();` }, 'start'],
      [{ 'application.ts': `await Promise.reject(new Error('late'));` }, 'check'],
      [
        {
          'application.ts': `import { open } from './desk.ts';\n\nopen();`,
          'desk.ts': `export function open(): void {\n  try { null!.x; } catch (cause) { throw new Error('no desk', { cause }); }\n}`,
        },
        'start',
      ],
      [{ 'application.ts': `throw 'a text';` }, 'start'],
      [{ 'application.ts': `throw Object.assign(new Error('no place'), { stack: '' });` }, 'start'],
    ]);
    const told = said.map(({ code, out, err }) => [code, out + err]);
    expect(told.slice(0, 4)).toEqual([
      [
        1,
        expect.stringMatching(/^application\.ts:\d+:6 {2}it throws while it is loaded: SyntaxError: .*\n$/),
      ],
      [1, 'application.ts:3:5  it throws while it is loaded: TypeError: app.frobnicate is not a function\n'],
      [1, expect.stringContaining('application.ts:1:22  problem: it throws while it is loaded: late\n')],
      [
        1,
        "desk.ts:2:42  it throws while it is loaded: no desk; because of TypeError: Cannot read properties of null (reading 'x'); called from application.ts:3:1\n",
      ],
    ]);
    expect(told.slice(4)).toEqual([
      [1, 'a text\n'],
      [1, expect.stringContaining('no place')],
    ]);
  });
});

it('says which file never comes to its end', async () => {
  const folder = inFolder({ 'application.js': 'await new Promise(() => {});' });
  const program = waymark(folder, 'check', 'application.js');
  expect(await program.ended()).toBe(1);
  expect(program.stderr()).toContain('application.js does not come to its end');
});

const commands = [
  ['check'],
  ['openapi', '--out', 'openapi.json'],
  ['start'],
  ['typegen', '--check'],
  ['check', '--json'],
].slice(0, byTier({ quick: 3, slow: 3, drill: 5 }));

it.each(commands)('says which file ends the process while it is loaded: %s', async (...argv) => {
  const folder = inFolder({ 'application.ts': `import './deep.ts';\n`, 'deep.ts': '\n  process.exit(0);\n' });
  const [command = '', ...options] = argv;
  const program = waymark(folder, command, 'application.ts', ...options);
  expect(await program.ended()).toBe(1);
  expect(program.stdout()).toBe('');
  expect(program.stderr()).toBe(
    'deep.ts:2:11  application.ts ends the process while it is loaded, with process.exit(0)\n',
  );
});

it.each([
  [
    "import { exit } from 'node:process';\nexit(0);",
    1,
    /^application\.ts:2:1 {2}application\.ts ends the process .* process\.exit\(0\)\n$/,
  ],
  ['process.exit(3);', 3, /^application\.ts:1:9 {2}application\.ts ends .* process\.exit\(3\)\n$/],
  ['process.exitCode = 4;\nprocess.exit();', 4, /^application\.ts:2:9 {2}.* process\.exit\(4\)\n$/],
  [
    "setTimeout(() => { throw new Error('late'); });\nawait new Promise(() => {});",
    1,
    /^(?!.*ends the process).*late/s,
  ],
])('tells an end from a fault, and keeps another code than 0: %s', async (text, code, said) => {
  const program = waymark(inFolder({ 'application.ts': text }), 'check');
  expect(await program.ended()).toBe(code);
  expect(program.stderr()).toMatch(said);
});
