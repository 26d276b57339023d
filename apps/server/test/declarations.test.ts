import { readFileSync } from 'node:fs';
import { verifies } from '@waymark/contract/testing';
import { createApplication, DeclarationError, type Problem, Type } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, secret } from './serve.ts';

const here = 'apps/server/test/declarations.test.ts';

/** The line of this file that holds a word. */
function lineOf(word: string): number {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(word) && !line.includes('lineOf(')) + 1;
}

async function problemsOf(app: ReturnType<typeof application>): Promise<readonly Problem[]> {
  const error = await app.listen().then(
    async ({ close }) => close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeclarationError);
  const { problems } = error as DeclarationError;
  expect(app.check().filter(({ severity }) => severity === undefined)).toEqual(problems);
  return problems;
}

describe('listen', () => {
  it('throws every problem at once, each with the line of its declaration', async () => {
    verifies('boot.all-at-once', 'boot.error.place');
    const app = createApplication('shop', { port: 70_000, env: { SHORT: 'short' } });
    app.get('no-slash-get', () => 1);
    app.post('no-slash-post', {}, () => 1);
    app.put('no-slash-put', {}, () => 1);
    app.patch('no-slash-patch', {}, () => 1);
    app.delete('no-slash-delete', {}, () => 1);
    app.route('GET', 'no-slash-route', {}, () => 1);
    app.static('GET', 'no-slash-static', 1);
    app.apiKey('SHORT', 'short-key');
    app.apiKey('UNSET', 'unset-key');
    const problems = await problemsOf(app);
    const places = problems.map(({ declaration, at }) => `${declaration} ${at}`);
    const words = ['get', 'post', 'put', 'patch', 'delete', 'route', 'static'].map(
      (word) => `no-slash-${word}`,
    );
    for (const word of words)
      expect(places).toContainEqual(
        expect.stringMatching(new RegExp(`^route [A-Z]+ ${word} ${here}:${lineOf(`'${word}'`)}$`)),
      );
    for (const word of ['short-key', 'unset-key'])
      expect(places).toContain(`apiKey "${word}" ${here}:${lineOf(`'${word}'`)}`);
    expect(problems).toContainEqual(
      expect.objectContaining({ rule: expect.stringContaining('port 70000') as string }),
    );
    expect(problems).toHaveLength(10);
  });

  it('names the line of declarations that are chained', async () => {
    const app = application()
      .get('/fine', () => 1)
      .get('chained-first', () => 1)
      .static('GET', 'chained-second', 1);
    const lines = (await problemsOf(app)).map(({ at }) => at);
    expect(lines).toEqual([`${here}:${lineOf("'chained-first'")}`, `${here}:${lineOf("'chained-second'")}`]);
  });

  it('passes on the place that a wrapping function names', async () => {
    const declaredAt = 'my/wrapper.ts:7';
    const app = application()
      .get('wrapped', { declaredAt }, () => 1)
      .apiKey('UNSET', 'key', { declaredAt });
    app.static('GET', 'also-wrapped', 1, { declaredAt }).route('GET', 'and-this', { declaredAt }, () => 1);
    expect(new Set((await problemsOf(app)).map(({ at }) => at))).toEqual(new Set([declaredAt]));
  });

  it('says it in one text, one line for each, and shows no frame of its own', async () => {
    const error = await application()
      .get('/a', { scpoes: [] } as object, () => 1)
      .get('b', () => 1)
      .listen()
      .catch(String);
    expect(error).toMatch(
      new RegExp(
        [
          '^DeclarationError: 2 declaration problems',
          `  ${here}:\\d+  route GET /a: unknown option "scpoes" \\(did you mean "scopes"\\?\\)`,
          `  ${here}:\\d+  route GET b: path "b" does not start with "/"; write "/b"$`,
        ].join('\n'),
      ),
    );
  });

  it('reports schemas that do not compile along with everything else', async () => {
    const app = application();
    app.get('/pattern', { input: { code: Type.String({ pattern: '(' }) } }, () => 1);
    app.get('no-slash', () => 1);
    const rules = (await problemsOf(app)).map(({ declaration, rule }) => `${declaration}: ${rule}`);
    expect(rules).toEqual([
      'route GET /pattern: input "code": the pattern "(" is no regular expression: unterminated group',
      'route GET no-slash: path "no-slash" does not start with "/"',
    ]);
  });

  it('reports what the OpenAPI document could not describe, instead of failing when somebody asks for it', async () => {
    const output = { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } as const;
    const app = application().get('/dangling', { output }, () => ({}) as never);
    expect(await problemsOf(app)).toMatchObject([{ declaration: 'route GET /dangling' }]);
  });

  it('reports two declarations of one route, one tool name twice, and a path of the control plane', async () => {
    verifies('boot.duplicates', 'boot.tool-names');
    const app = application();
    app.get('/a', () => 1).get('/a', () => 2);
    app
      .get('/b', { tool: true, toolName: 'same' }, () => 1)
      .get('/c', { tool: true, toolName: 'same' }, () => 1);
    app.get('/_svc/mine', () => 1);
    expect((await problemsOf(app)).map(({ rule }) => rule)).toEqual([
      expect.stringMatching(`^GET /a is declared twice, first at ${here}:\\d+$`),
      expect.stringMatching(`^tool name "same" is taken by the route at ${here}:\\d+$`),
      'the path lies under the control prefix /_svc',
    ]);
  });

  it('reports a control prefix that is none', async () => {
    for (const controlPrefix of ['ops', '/', '/ops/', '/{x}', ''])
      expect((await problemsOf(application({ controlPrefix }))).length).toBeGreaterThan(0);
  });

  it('never shows a secret', async () => {
    const app = application({}, { WEAK: 'hunter2hunter2' })
      .apiKey('WEAK', 'weak')
      .apiKey('SHOP_KEY', 'anonymous');
    const text = JSON.stringify(await problemsOf(app));
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(secret);
  });
});

describe('check', () => {
  it('finds nothing wrong with a good application, and starts nothing', () => {
    verifies('declare.api-key');
    const started: string[] = [];
    const app = application()
      .apiKey('SHOP_KEY', 'shop')
      .get('/maps', () => []);
    app.add({ name: 'plugin', routes: [], start: () => void started.push('plugin') });
    expect(app.check()).toEqual([]);
    expect(started).toEqual([]);
  });
});

describe('findings', () => {
  it('are errors first, then warnings, each with its place as data', () => {
    const findings = application({}, { WAYMARK_HOTS: '::1' })
      .apiKey('SHOP_KEY', 'shop')
      .get('/maps', { tool: true }, () => [])
      .get('atlases', () => [])
      .findings();
    expect(findings).toEqual([
      {
        severity: 'error',
        code: 'path-form',
        text: 'route GET atlases: path "atlases" does not start with "/"',
        fix: 'write "/atlases"',
        at: { file: here, line: lineOf(".get('atlases'") },
      },
      expect.objectContaining({ severity: 'warning', code: 'variable-unknown', nearest: 'WAYMARK_HOST' }),
      {
        severity: 'warning',
        code: 'tool-undescribed',
        text: 'route GET /maps: is a tool, and all that a model reads of it is "GET /maps"',
        fix: 'write a summary, or a comment at the start of the handler',
        at: { file: here, line: lineOf(".get('/maps', { tool: true }") },
      },
    ]);
  });

  it('hold what the security report warns about, once nothing is wrong, and say nothing twice', () => {
    const app = application({ host: '127.0.0.2', allowUnauthenticated: true }, { NODE_ENV: 'production' })
      .apiKey('SHOP_KEY', 'shop', { scopes: ['maps:raed'] })
      .get('/maps', { scopes: ['maps:read'] }, () => [])
      .post('/maps', () => []);
    const texts = app.findings().map(({ severity, text, nearest }) => `${severity} ${text} ${nearest ?? ''}`);
    expect(texts.filter((text) => text.includes('maps:read"'))).toEqual([
      'warning route GET /maps: needs the scope "maps:read", and no key is granted it maps:raed',
      expect.stringContaining('API key "shop" holds "maps:raed", which no route needs'),
    ]);
    expect(texts.filter((text) => text.includes('allowUnauthenticated'))).toHaveLength(1);
    expect(texts).toContainEqual(expect.stringContaining('POST /maps changes state and answers anybody'));
    expect(texts).toContainEqual(expect.stringContaining('no rate limit is in force'));
    const wrong = app.get('no-slash', () => 1).findings();
    expect(wrong.filter(({ text }) => text.includes('rate limit'))).toEqual([]);
  });

  it('never take a scope that is held for the fix of one that nobody holds', () => {
    const [finding] = application()
      .apiKey('SHOP_KEY', 'shop', { scopes: ['orders:read'] })
      .get('/orders', { scopes: ['orders:read'] }, () => [])
      .post('/orders', { scopes: ['orders:write'] }, () => [])
      .findings();
    expect(finding).toMatchObject({
      code: 'scope-unreachable',
      text: 'route POST /orders: needs the scope "orders:write", and no key is granted it',
      fix: 'grant it to an apiKey, or correct the scopes of the route',
    });
    expect(finding).not.toHaveProperty('nearest');
  });

  it('are the same as check says, and as listen refuses', async () => {
    const app = application()
      .get('/maps', { tool: true }, () => [])
      .get('b', () => 1);
    expect(app.check().map(({ severity = 'error', code }) => [severity, code])).toEqual([
      ['error', 'path-form'],
      ['warning', 'tool-undescribed'],
    ]);
    expect((await problemsOf(app)).map(({ code }) => code)).toEqual(['path-form']);
  });
});
