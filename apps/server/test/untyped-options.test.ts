import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toFinding, toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication, type Problem } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { base, untyped } from './fixtures/mistake.ts';
import { makeShop } from './fixtures/ten-mistakes.js';

const here = 'apps/server/test/untyped-options.test.ts';
const make = (): Application => createApplication('shop', base);
const origin = 'https://app.example.com';

/** Errors only: a program without types is warned like any other. */
function errorsOf(app: Application): readonly Problem[] {
  return app.check().filter(({ severity }) => severity === undefined);
}

type Declare = (options: never) => Application;

/** What each call takes, and for every option something else than it holds. */
const calls: readonly (readonly [string, Declare, Readonly<Record<string, unknown>>])[] = [
  ...(['get', 'static'] as const).map(
    (call): readonly [string, Declare, Readonly<Record<string, unknown>>] => [
      call,
      (options) =>
        call === 'get' ? make().get('/maps', options, () => []) : make().static('GET', '/maps', 1, options),
      {
        ...{ tool: 'yes', toolName: 5, scopes: 'maps:read maps:write', approval: true, approver: 'boss' },
        ...{ readOnly: 'no', idempotent: 1, destructive: null, summary: 5, description: {}, body: 5 },
        ...{ maxBodyBytes: '1MB', timeoutMs: '5', strictQuery: 0, placement: 7, plane: 1, socket: 'x' },
        ...{ strict: 'x', progress: 1, input: 'limit', output: 5 },
      },
    ],
  ),
  ['static', (options) => make().static('GET', '/maps', 1, options), { status: '200' }],
  ['apiKey', (options) => make().apiKey('SHOP_KEY', 'shop', options), { scopes: 5 }],
  [
    'jwt',
    (options) => make().jwt('JWT_SECRET', options),
    { algorithm: 256, audience: ['shop'], issuer: 5, leewaySecs: '30' },
  ],
  [
    'cors',
    (options) => make().cors([origin], options),
    { credentials: 'yes', methods: 'GET', headers: {}, expose: null, maxAge: '600' },
  ],
  ['rateLimit', (options) => make().rateLimit(5, options), { burst: '9' }],
  [
    'securityHeaders',
    (options) => make().securityHeaders(options),
    {
      ...{ enabled: 'false', frameOptions: false, referrerPolicy: 5, contentSecurityPolicy: {} },
      hstsMaxAge: '1',
    },
  ],
  [
    'createApplication',
    (options) => createApplication('shop', { ...base, ...(options as object) }),
    {
      ...{ description: 5, version: 2, database: 5, templates: {}, host: 127, port: '8000', workers: '2' },
      ...{ controlPrefix: null, requestTimeout: '30', agentTimeout: '600', shutdownTimeout: '25' },
      ...{ strictQuery: 1, mcpScopes: 'svc:admin', allowUnauthenticated: 'false', publicUrl: 5 },
      ...{ allowedHosts: 'shop', trustProxy: true, failureLimit: 5, env: 'production' },
    },
  ],
];

describe('an option that holds something else than its values', () => {
  it.each(
    calls.flatMap(([call, declare, wrong]) =>
      Object.entries(wrong).map(([name, value]) => [call, name, value, declare] as const),
    ),
  )('%s: %s = %j is reported by its name, with its place and a fix', (_call, name, value, declare) => {
    verifies('boot.option-types');
    const problems = errorsOf(declare(untyped({ [name]: value })));
    expect(problems).toHaveLength(1);
    const [problem] = problems;
    expect(problem && toProblemLine(problem)).toContain(name);
    expect(problem?.fix).toMatch(/^(write|leave)/);
    expect(problem?.at).toMatch(new RegExp(`^${here}:\\d+$`));
  });

  it.each(calls.map(([call, declare]) => [call, declare] as const))(
    '%s: one that nobody knows is reported with the one that was meant',
    (_call, declare) => {
      verifies('boot.unknown-option');
      const [problem, ...more] = errorsOf(declare(untyped({ xyzzy: 1 })));
      expect(more).toEqual([]);
      expect(problem).toMatchObject({
        code: 'unknown-option',
        rule: 'unknown option "xyzzy"',
        fix: expect.stringMatching(/^take it out; there are \w+/) as string,
      });
    },
  );
});

describe('an argument that is none', () => {
  it.each<[string, (app: Application) => unknown]>([
    ['a path that is no text', (app) => app.get(untyped(5), () => 1)],
    ['no path', (app) => app.get(untyped(undefined), () => 1)],
    ['no handler', (app) => app.get('/maps', untyped(undefined))],
    ['options that are null', (app) => app.get('/maps', untyped(null), () => 1)],
    ['options that are a text', (app) => app.get('/maps', untyped('tool'), () => 1)],
    ['options that are a list', (app) => app.route('GET', '/maps', untyped([]), () => 1)],
    ['a method that is none', (app) => app.route(untyped(null), '/maps', {}, () => 1)],
    ['options of static that are null', (app) => app.static('GET', '/maps', 1, untyped(null))],
    ['a path of static that is no text', (app) => app.static('GET', untyped({}), 1)],
    ['no variable of a key', (app) => app.apiKey(untyped(undefined), 'shop')],
    ['no id of a key', (app) => app.apiKey('SHOP_KEY', untyped(undefined))],
    ['options of a key that are null', (app) => app.apiKey('SHOP_KEY', 'shop', untyped(null))],
    ['an id of a key that has no text', (app) => app.apiKey('SHOP_KEY', untyped(Symbol('x')))],
    ['a path that has no text', (app) => app.get(untyped(Symbol('x')), () => 1)],
    ['a priced model that is no text', (app) => app.pricing(untyped(5), 1, 1)],
    ['no priced model', (app) => app.pricing(untyped(null), 1, 1)],
    ['no variable of tokens', (app) => app.jwt(untyped(undefined))],
    ['options of tokens that are a text', (app) => app.jwt('JWT_SECRET', untyped('HS256'))],
    ['scopes in a list', (app) => app.anonymousScopes(untyped(['maps:read']))],
    [
      'a scope of a watcher that is no text',
      (app) => {
        app.sensor('door', { ingestScopes: [], readScopes: [] }).agent('guard', { description: 'Looks.' });
        app.watch('yard', { device: 'door', agent: 'guard', scopes: untyped([7]) });
      },
    ],
    ['origins that are a text', (app) => app.cors(untyped(origin))],
    ['no origins', (app) => app.cors(untyped(undefined))],
    ['options of cors that are null', (app) => app.cors([origin], untyped(null))],
    ['a rate that is a text', (app) => app.rateLimit(untyped('5'))],
    ['options of a rate that are a number', (app) => app.rateLimit(5, untyped(9))],
    ['headers that are false', (app) => app.securityHeaders(untyped(false))],
    ['headers that are null', (app) => app.securityHeaders(untyped(null))],
    ['nothing that is added', (app) => app.add(untyped(undefined))],
    ['a promise that is added', (app) => app.add(untyped(Promise.resolve()))],
    ['a function that is added', (app) => app.add(untyped(() => 1))],
    ['a plugin without routes', (app) => app.add(untyped({ name: 'maps' }))],
    ['a path where middleware belongs', (app) => app.use(untyped('/maps'))],
    ['nothing where middleware belongs', (app) => app.use(untyped(undefined))],
  ])('%s is reported where it stands, and throws nothing', (_what, declare) => {
    verifies('boot.option-types');
    const app = make();
    declare(app);
    const problems = errorsOf(app);
    expect(problems).toHaveLength(1);
    expect(toFinding(problems[0] as Problem)).toMatchObject({
      code: expect.any(String) as string,
      fix: expect.any(String) as string,
      at: { file: here },
    });
    // What can be served can still be looked at.
    expect(app.table.size).toBeGreaterThan(0);
  });

  it.each<[string, unknown, unknown]>([
    ['no name', undefined, base],
    ['a name that is no text', 5, base],
    ['options that are null', 'shop', null],
    ['options that are a text', 'shop', 'port'],
  ])('of createApplication: %s', (_what, name, options) => {
    const errors = errorsOf(createApplication(untyped(name), untyped(options)));
    expect(errors).toMatchObject([{ at: expect.stringMatching(new RegExp(`^${here}:`)) as string }]);
  });
});

describe('a program in JavaScript with ten mistakes', () => {
  it('is told all ten at once, each with its line, and the fix or the name that was meant', () => {
    verifies('boot.all-at-once', 'boot.option-types');
    const file = join(import.meta.dirname, 'fixtures', 'ten-mistakes.js');
    const lines = readFileSync(file, 'utf8').split('\n');
    const marked = lines.flatMap((line, i) => (line.trim() === '// wrong:' ? [i + 2] : []));
    const findings = makeShop().findings();
    expect(findings.map(({ at }) => at?.line).sort((a = 0, b = 0) => a - b)).toEqual(marked);
    expect(marked).toHaveLength(10);
    expect(findings.map(({ severity, code, nearest, fix }) => [severity, code, nearest ?? fix])).toEqual([
      ['error', 'options-form', 'write { name: value }'],
      ['error', 'middleware-form', expect.stringContaining('express.Router()')],
      ['error', 'unknown-option', 'requestTimeout'],
      ['error', 'path-segment', 'write "/maps/{id}"'],
      ['error', 'input-form', 'write limit: Type.Integer()'],
      ['error', 'unknown-option', 'tool'],
      ['error', 'option-type', 'write true or false'],
      ['error', 'handler-missing', 'write the handler as the last argument, after the options'],
      ['error', 'scope-form', 'write ["maps:read"]'],
      ['error', 'option-type', 'write ["https://app.example.com"]'],
    ]);
    expect(new Set(findings.map(({ at }) => at?.file))).toEqual(
      new Set(['apps/server/test/fixtures/ten-mistakes.js']),
    );
  });
});
