import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inFolder, type Printed } from './command-line.ts';
import { run } from './running.ts';

/** What a newcomer writes: a shop whose third line is wrong. */
const shop = (line: string, { options = '{}', imports = '' } = {}): string =>
  `import { createApplication, HTTPError, Type } from '@waymark/server';${imports}
export const application = createApplication('shop', ${options}) as any;
${line}
`;
const lookUp = `application.get('/a', { tool: true, toolName: 'look_up', summary: 'Look.' }, () => 1);`;

/** What was done, the code, and the two lines that answer it: what is wrong, and what to write. */
const declarations: readonly (readonly [what: string, code: string, problem: string, fix?: string])[] = [
  [
    'a misspelt option',
    shop(`application.get('/a', { summry: 'A.' }, () => 1);`),
    'application.ts:3  problem: route GET /a: unknown option "summry"',
    'write "summary"',
  ],
  [
    'a key whose variable is not set',
    shop(`application.apiKey('SHOP_KEY', 'desk', { scopes: ['a'] });`),
    'application.ts:3  problem: apiKey "desk": the variable SHOP_KEY is not set',
    'make one with: waymark keygen --env SHOP_KEY',
  ],
  [
    'the same route twice',
    shop(`application.get('/a', () => 1); application.get('/a', () => 2);`),
    'application.ts:3  problem: route GET /a: GET /a is declared twice, first at application.ts:3',
    'take one of the two out, or give it another path',
  ],
  [
    'the name of a type for a schema',
    shop(`application.get('/a', { input: { x: 'boolean' } }, () => 1);`),
    'application.ts:3  problem: route GET /a: input "x" is not a schema',
    'write x: Type.Boolean()',
  ],
  [
    'a tool that is misspelt',
    shop(`${lookUp} application.agent('clerk', { description: 'A.', tools: ['look_upp'] });`),
    'application.ts:3  problem: agent "clerk": unknown tool "look_upp"',
    'write "look_up"',
  ],
  [
    'a provider that is misspelt',
    shop(`application.models({ default: 'anthropc/claude' });`),
    'application.ts:3  problem: model alias "default": unknown provider "anthropc"',
    'write "anthropic"',
  ],
  [
    'a step that is misspelt',
    shop(`${lookUp} application.flow('f', { description: 'F.', pipeline: ['lok_up'] });`),
    'application.ts:3  problem: flow "f": unknown step "lok_up"',
    'write "look_up"',
  ],
  [
    'a parameter as express writes it',
    shop(`application.get('/a/:id', () => 1);`),
    'application.ts:3  problem: route GET /a/:id: segment ":id" is neither literal text nor "{name}"',
    'write "/a/{id}"',
  ],
  [
    'a path without its slash',
    shop(`application.get('a', () => 1);`),
    'application.ts:3  problem: route GET a: path "a" does not start with "/"',
    'write "/a"',
  ],
  [
    'a number in quotes',
    shop('', { options: `{ port: '8000' }` }),
    'application.ts:2  problem: application: port is not a number',
    'write 8000, without quotes',
  ],
  [
    'SQL that changes behind a GET',
    shop(`application.query('GET', '/q', 'delete from t', {});`, { options: `{ database: ':memory:' }` }),
    'application.ts:3  warning: query GET /q: it changes rows by GET, which browsers and agents repeat and fetch ahead',
    'declare it with POST, PUT, PATCH or DELETE',
  ],
  [
    'a placeholder that nothing fills',
    shop(`application.query('GET', '/q', 'select :id as id', {});`, { options: `{ database: ':memory:' }` }),
    'application.ts:3  problem: query GET /q: its placeholder :id is not among its params',
    'give each placeholder its param, and each param its place',
  ],
  [
    'templates that are not there',
    shop(`application.page('/p', 'p');`, { options: `{ templates: 'no-such' }` }),
    'application.ts:3  problem: page GET /p: there is no directory "no-such"',
    'name a directory that is there, relative to the working directory',
  ],
  [
    'another name for the export',
    shop('').replace('const application', 'const app'),
    'application.ts exports its application as app; write: export const application = …',
  ],
  [
    'no export at all',
    shop('').replace('export ', ''),
    "application.ts exports no application; write: export const application = createApplication('name')",
  ],
  [
    'a schema of a library that cannot describe itself',
    shop(`application.post('/p', { input: { a: v.string() } }, () => 1);`, {
      imports: `\nimport * as v from 'valibot';`,
    }),
    'application.ts:4  problem: route POST /p: input "a" is a schema of valibot that gives no JSON Schema',
    'write toStandardJsonSchema(schema), from @valibot/to-json-schema',
  ],
  [
    'an agent without a description',
    shop(`${lookUp} application.agent('clerk', { tools: ['look_up'], public: true });`),
    'application.ts:3  warning: route POST /agents/clerk: is a tool, and all that a model reads of it is "POST /agents/clerk"',
    'write a description',
  ],
  [
    'an agent whose provider has no key',
    shop(`application.agent('clerk', { description: 'A.', tools: [], public: true });`),
    'application.ts:3  warning: agent "clerk": no provider of its model "default" has a key, so every run of it will fail',
    'set ANTHROPIC_API_KEY',
  ],
  [
    'a package that is not installed',
    shop('', { imports: `\nimport z from 'not-installed';` }),
    'application.ts:2:15  problem: there is no package "not-installed"',
    'npm install not-installed',
  ],
  [
    'a file that is not there',
    shop('', { imports: `\nimport './tickets.ts';` }),
    'application.ts:2:8  problem: there is no file tickets.ts',
    'name a file that is there, or write it',
  ],
  [
    'an enum',
    shop('enum Color { Red }'),
    'application.ts:3:1  problem: enums need a compiler',
    "write a const object, or a union of texts: type Color = 'red' | 'blue'",
  ],
  [
    'a slip of the pen',
    shop(`application.get('/a', () => {;`),
    "application.ts:3  problem: the code cannot be read: Expected ',', got '<eof>'",
  ],
  [
    'a method that is misspelt',
    shop(`application.gett('/a', () => 1);`),
    'application.ts:3:13  problem: application.gett is not a function',
    'write get, which an application has',
  ],
  [
    'a handler as express has it',
    shop(`application.get('/a', (req: any, res: any) => res.send('a'));`),
    'application.ts:3  warning: route GET /a: its handler takes "res", and is given its input and the request',
    'return what is answered, and write (input, request)',
  ],
  [
    'a parameter that is nearly the one in the path',
    shop(`application.get('/a/{id}', { input: { idd: Type.Integer() } }, () => 1);`),
    'application.ts:3  warning: route GET /a/{id}: input "idd" travels in the query, and "/a/{id}" has {id}',
    'write "id"',
  ],
  [
    'a name that is not defined',
    shop('open();'),
    'application.ts:3:1  problem: it throws while it is loaded: ReferenceError: open is not defined',
  ],
];

/** The same on the command line. */
const commandLines: readonly (readonly [what: string, argv: readonly string[], said: string])[] = [
  ['a command', ['strat'], 'unknown command "strat"; did you mean "start"?'],
  ['an option', ['start', '--prot', '1'], 'unknown option "--prot"; did you mean "--port"?'],
  ['a port that is a word', ['start', '--port', 'abc'], '--port abc is not a number from 0 to 65535'],
  ['a port that is too large', ['start', '--port', '65536'], '--port 65536 is not a number from 0 to 65535'],
  ['a file', ['start', 'nofile.ts'], 'there is no file nofile.ts'],
  [
    'a template',
    ['new', 'x', '--template', 'agnet'],
    'unknown template "agnet"; did you mean "agent"? there are: minimal, agent, camera, data',
  ],
  ['a folder that is not empty', ['new', '.'], '. is not empty; name another folder'],
  ['the name of a variable', ['keygen', '--env', 'a b'], '"a b" is not the name of a variable'],
  [
    'the client of a configuration',
    ['mcp-config', '--client', 'cluade'],
    'Invalid value for argument: --client (cluade). Expected one of: claude,',
  ],
  [
    'an address without its scheme',
    ['call', 'get_ticket', '--url', '127.0.0.1:8123'],
    '--url 127.0.0.1:8123 is no address; write http://127.0.0.1:8123',
  ],
  [
    'a server that is not there',
    ['call', 'get_ticket', '--as', 'desk', '--url', 'http://127.0.0.1:9'],
    'nothing answers at http://127.0.0.1:9: start it with waymark dev, or name another with --url or --file',
  ],
  ['the port of another', ['start'], 'the port is in use by the application "shop"; take --port'],
  [
    'a tool',
    ['call', 'get_tiket', '--as', 'desk'],
    'unknown tool "get_tiket", or this key may not see it; did you mean "get_ticket"?',
  ],
  [
    'an argument',
    ['call', 'get_ticket', '--idd', '4', '--as', 'desk'],
    'unknown option "--idd"; did you mean "--id"?',
  ],
  [
    'an argument that is left out',
    ['call', 'get_ticket', '--as', 'desk'],
    'tool get_ticket failed with 422: /id is required',
  ],
  [
    'an argument of another type',
    ['call', 'get_ticket', '--id', 'four', '--as', 'desk'],
    'tool get_ticket failed with 422: /id must be integer',
  ],
  [
    'an argument that is no JSON',
    ['call', 'open_ticket', '--as', 'desk', '--json', '{bad'],
    'what follows --json is not JSON: ',
  ],
  [
    'no key',
    ['call', 'get_ticket', '--id', '4'],
    '401 authentication is needed for scope "svc:admin"; name a key with --as: ',
  ],
  [
    'a key that may not use tools',
    ['call', 'get_ticket', '--id', '4', '--as', 'reader'],
    '403 missing scope "svc:admin"; give another key with --as, or let it in with mcpScopes',
  ],
  [
    'a key that nobody has',
    ['call', 'get_ticket', '--as', 'nobdy'],
    'there is no key of "nobdy": set NOBDY_KEY',
  ],
];

const keys = { DESK_KEY: 'a-secret-of-the-desk', READER_KEY: 'a-secret-of-the-reader' };
const asJson = { 'x-api-key': keys.DESK_KEY, 'content-type': 'application/json' };
const post = (body: string, headers: Readonly<Record<string, string>> = asJson): RequestInit => ({
  method: 'POST',
  body,
  headers,
});

/** And in requests, which the desk makes unless they say who; the detail of the answer. */
const requests: readonly (readonly [what: string, path: string, request: RequestInit, detail: string])[] = [
  ['a path', '/ticket/1', {}, 'nothing is served at this path'],
  ['a method', '/tickets/1', { method: 'PUT' }, 'PUT is not allowed here, only GET, HEAD, OPTIONS'],
  ['a number in a path', '/tickets/x', {}, '/id must be integer'],
  [
    'a scope that the key lacks',
    '/tickets',
    post('{}', { ...asJson, 'x-api-key': keys.READER_KEY }),
    'missing scope "write"',
  ],
  ['a key', '/tickets/1', { headers: { 'x-api-key': 'wrong' } }, 'the credential is not valid'],
  [
    'a form for JSON',
    '/tickets',
    post('title=a', { ...asJson, 'content-type': 'application/x-www-form-urlencoded' }),
    'the body must be application/json in UTF-8, not application/x-www-form-urlencoded',
  ],
  ['a comma in JSON', '/tickets', post('{"title":"a",}'), 'the body is not JSON: see line 1, column 14'],
  [
    'the name of a member',
    '/tickets',
    post('{"titel":"a"}'),
    '/title is required; /titel is not known (did you mean "title"?)',
  ],
  [
    'a text that is too long',
    '/tickets',
    post('{"title":"eleven char"}'),
    '/title must not have more than 10 characters',
  ],
  ['a number for a text', '/tickets', post('{"title":1}'), '/title must be string'],
];

const desk = shop(
  `application.apiKey('DESK_KEY', 'desk', { scopes: ['svc:admin', 'read', 'write'] });
application.apiKey('READER_KEY', 'reader', { scopes: ['read'] });
application.get('/tickets/{id}', {
  summary: 'Read one.', tool: true, toolName: 'get_ticket', scopes: ['read'], input: { id: Type.Integer() },
}, ({ id }: any) => ({ id }));
application.post('/tickets', {
  summary: 'Open one.', tool: true, toolName: 'open_ticket', scopes: ['write'],
  input: { title: Type.String({ maxLength: 10 }) },
}, ({ title }: any) => ({ title }));`,
);

/** All at once: to load the product takes most of the time of a command. */
async function sayAll(
  lines: readonly (readonly [folder: string, ...argv: readonly string[]])[],
  env: NodeJS.ProcessEnv = {},
): Promise<readonly string[]> {
  // A machine that is busy is told of in the log, behind the answer.
  const program = run(['apps/server/test/run-commands.ts', JSON.stringify(lines)], {
    env: { LOG_LEVEL: 'silent', ...env },
  });
  expect([await program.ended(), program.stderr()]).toEqual([0, '']);
  return (JSON.parse(program.stdout()) as readonly Printed[]).map(({ out, err }) => out + err);
}

const noStack = /^ +at /m;

describe('a slip of a newcomer', () => {
  it('in a declaration is a line, with its place and its fix', async () => {
    verifies('cli.mistakes', 'boot.error.place', 'boot.error.fix');
    const files = declarations.map(([, code], i) => [`${i}/application.ts`, code]);
    const folder = inFolder(Object.fromEntries(files) as Record<string, string>);
    const said = await sayAll(declarations.map((_, i) => [join(folder, String(i)), 'check']));
    for (const [i, [what, , problem, fix]] of declarations.entries()) {
      expect([what, said[i]]).toEqual([what, expect.not.stringMatching(noStack)]);
      const told = `${problem}\n${fix === undefined ? '' : `    fix: ${fix}\n`}`;
      expect([what, said[i]]).toEqual([what, expect.stringContaining(told)]);
    }
  });

  it('on the command line, or in a request, is a line that says how to do better', async () => {
    verifies('cli.mistakes');
    const folder = join(inFolder({ 'desk/application.ts': desk }), 'desk');
    const server = run(['apps/server/bin/waymark.js', 'start', '--port', '0'], { cwd: folder, env: keys });
    onTestFinished(async () => {
      server.child.kill('SIGTERM');
      await server.ended();
    });
    const [, url = '', port = ''] = await server.saying(/(http:\/\/127\.0\.0\.1:(\d+))\n/);
    const said = await sayAll(
      commandLines.map(([, argv]) => [folder, ...argv]),
      { ...keys, PORT: port },
    );
    for (const [i, [what, , line]] of commandLines.entries()) {
      const [first = '', ...rest] = (said[i] ?? '').trimEnd().split('\n');
      expect([what, first]).toEqual([what, expect.stringContaining(line)]);
      expect([[], ['waymark --help shows what there is']]).toContainEqual(rest);
    }
    for (const [what, path, request, detail] of requests) {
      const response = await fetch(url + path, { headers: asJson, ...request });
      expect([what, await response.json()]).toEqual([what, expect.objectContaining({ detail })]);
    }
  });

  it('that only a start can find is told by it, with the same words', async () => {
    const options = (database: string): { options: string } => ({ options: `{ database: '${database}' }` });
    const folder = inFolder({
      'table/application.ts': shop(
        `application.query('GET', '/q', 'select * from tickets', {});`,
        options(':memory:'),
      ),
      'folder/application.ts': shop('', options('sqlite://data/shop.db')),
      'variable/application.ts': shop(''),
    });
    const [table, absent] = await sayAll([
      [join(folder, 'table'), 'start'],
      [join(folder, 'folder'), 'start'],
    ]);
    expect(table).toMatch(
      /^1 declaration problem\n {2}application\.ts:3 {2}query GET \/q: .*tickets.*\n {2}more: .*\n$/,
    );
    expect(absent).toMatch(
      /^1 declaration problem\n {2}application\.ts:2 {2}database: the folder .*data does not exist; create it: mkdir -p .*data\n$/,
    );
    const [variable] = await sayAll([[join(folder, 'variable'), 'check']], { WAYMARK_PROT: '1' });
    expect(variable).toContain(
      'warning: environment: unknown variable WAYMARK_PROT\n    fix: write "PORT"\n',
    );
  });
});
