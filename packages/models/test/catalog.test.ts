import { toProblemLine } from '@waymark/contract/declaring';
import { testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { ollamaOrigin } from '../src/catalog/built-in.ts';
import { createModels, type ModelDeclaration, modelRules, models, pricing, provider } from '../src/index.ts';

function describeAll(...declarations: readonly ModelDeclaration[]) {
  return createModels(declarations, { env: () => undefined }).describe();
}

/** Where a name leads. */
function lead(name: string, ...declarations: readonly ModelDeclaration[]): string {
  const { aliases } = describeAll(...declarations, models({ it: name }));
  return aliases.find(({ alias }) => alias === 'it')?.models.join() ?? '';
}

function problems(...declarations: readonly ModelDeclaration[]): readonly string[] {
  const { plugin } = createModels(declarations, { env: () => undefined });
  return (plugin.check?.({ table: testHost().table, env: () => undefined }) ?? []).map((problem) => {
    expect(Object.keys(modelRules).concat('unknown-option', 'unknown-word', 'option-type')).toContain(
      problem.code,
    );
    expect(problem.at).toMatch(/catalog\.test\.ts:\d+$/);
    expect(problem.fix ?? problem.nearest).toBeDefined();
    return toProblemLine({ ...problem, at: '' }).replace(/^ +/, '');
  });
}

/** `a1` stands for `a2`, and so on to a model. */
function chain(links: number): ModelDeclaration {
  return models(
    Object.fromEntries(
      Array.from({ length: links }, (_, i) => [`a${i + 1}`, i + 1 === links ? 'gpt-5' : `a${i + 2}`]),
    ),
  );
}

describe('aliases', () => {
  it('are default and fast before anything is declared', () => {
    verifies(
      'model.alias.default',
      'model.alias.fast',
      'declare.models.default.built-in',
      'declare.models.fast.built-in',
    );
    expect(describeAll().aliases).toEqual([
      { alias: 'default', targets: ['claude-opus-5'], models: ['anthropic/claude-opus-5'], builtIn: true },
      {
        alias: 'fast',
        targets: ['claude-haiku-4-5-20251001'],
        models: ['anthropic/claude-haiku-4-5-20251001'],
        builtIn: true,
      },
    ]);
  });

  it('can be set, and chained, the built-in ones too', () => {
    verifies('declare.models', 'declare.models.chain');
    const declared = models({ default: 'fast', fast: 'openai/gpt-5-mini', smart: 'default' });
    expect(
      describeAll(declared).aliases.map(({ alias, models: to, builtIn }) => [alias, to, builtIn]),
    ).toEqual([
      ['default', ['openai/gpt-5-mini'], false],
      ['fast', ['openai/gpt-5-mini'], false],
      ['smart', ['openai/gpt-5-mini'], false],
    ]);
    expect(problems(declared)).toEqual([]);
  });

  it('may be lists, whose models are asked once each', () => {
    expect(lead('safe', models({ safe: ['default', 'gpt-5', 'anthropic/claude-opus-5'] }))).toBe(
      'anthropic/claude-opus-5,openai/gpt-5',
    );
  });

  it.each([
    [7, true],
    [8, true],
    [9, false],
  ])('%d links from a model: %s', (links, fine) => {
    verifies('model.alias.chain');
    expect(problems(chain(links))).toEqual(
      fine
        ? []
        : [
            'model alias "a1": the alias is more than 8 links away from a model: a1 → a2 → a3 → a4 → a5 → a6 → a7 → a8 → a9 → …; let it stand for a model that is nearer',
          ],
    );
  });

  it('may share what they stand for, in as many ways as there are', () => {
    const webs = Array.from({ length: 8 }, (_, level) =>
      Array.from({ length: 20 }, (_one, i) => [
        `w${level}-${i}`,
        level === 7 ? ['gpt-5', 'claude-x'] : Array.from({ length: 20 }, (_two, j) => `w${level + 1}-${j}`),
      ]),
    );
    const startedMs = performance.now();
    expect(problems(models(Object.fromEntries(webs.flat())))).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(4000);
    expect(problems(models({ ...Object.fromEntries(webs.flat()), top: 'w0-0' }))).toHaveLength(1);
  });

  it('must not lead back to themselves', () => {
    verifies('model.alias.cycle');
    expect(problems(models({ a: 'b', b: ['gpt-5', 'a'] }))).toEqual([
      'model alias "a": the alias leads back to itself: a → b → a; let one of them stand for a model',
      'model alias "b": the alias leads back to itself: b → a → b; let one of them stand for a model',
    ]);
    expect(problems(models({ default: 'default' }))).toHaveLength(1);
  });

  it('must stand for a model on a provider that there is', () => {
    verifies('model.alias.unknown-provider');
    expect(problems(models({ a: 'opnai/gpt-5', b: 'zzz/m', c: 'openai/', d: 'fsat', e: '' }))).toEqual([
      'model alias "a": unknown provider "opnai" (did you mean "openai"?)',
      `model alias "b": unknown provider "zzz"; declare it with provider('zzz', …); there are anthropic, openai, ollama`,
      'model alias "c": "openai/" names no model; write openai/<model>',
      'model alias "d": unknown model "fsat" (did you mean "fast"?)',
      'model alias "e": unknown model ""; declare the alias, or write <provider>/<model>',
    ]);
  });

  it('are an object of names, each declared once and without a slash', () => {
    // @ts-expect-error: a program without types may pass it
    expect(problems(models('fast'), models({ a: 7, b: [] }))).toHaveLength(3);
    expect(problems(models({ 'x/y': 'gpt-5' }))).toEqual([
      'model alias "x/y": its name is empty or has a slash; write a word',
    ]);
    expect(problems(models({ a: 'gpt-5' }), models({ a: 'gpt-4' }))[0]).toMatch(
      /^model alias "a": it is declared at .*catalog\.test\.ts:\d+ already/,
    );
  });
});

describe('providers', () => {
  it('are anthropic, openai and ollama before anything is declared', () => {
    verifies('model.provider.prefix');
    expect(describeAll().providers).toEqual([
      {
        name: 'anthropic',
        kind: 'anthropic',
        host: 'api.anthropic.com',
        apiKeyEnv: 'ANTHROPIC_API_KEY',
        live: false,
        builtIn: true,
      },
      {
        name: 'openai',
        kind: 'openai',
        host: 'api.openai.com',
        apiKeyEnv: 'OPENAI_API_KEY',
        live: false,
        builtIn: true,
      },
      { name: 'ollama', kind: 'openai', host: '127.0.0.1:11434', apiKeyEnv: null, live: true, builtIn: true },
    ]);
    expect(['anthropic/x', 'openai/x', 'ollama/x:7b'].map((name) => lead(name))).toEqual([
      'anthropic/x',
      'openai/x',
      'ollama/x:7b',
    ]);
  });

  it.each([
    ['claude-x', 'anthropic/claude-x'],
    ['gpt-5', 'openai/gpt-5'],
    ['o3-mini', 'openai/o3-mini'],
    ['o9', 'openai/o9'],
    ['opus', ''],
    ['gpt5', ''],
    ['llama3', ''],
  ])('are found for the bare name %s: %s', (name, target) => {
    verifies('model.provider.bare');
    expect(lead(name)).toBe(target);
  });

  it('are reachable by their name, slashes behind it included', () => {
    verifies('declare.models.provider-form');
    const declared = provider('router', 'https://router.example/v1');
    expect(lead('router/meta/llama-4', declared)).toBe('router/meta/llama-4');
    expect(problems(declared)).toEqual([]);
  });

  it('speak openai, without a key, unless declared otherwise', () => {
    verifies('declare.provider.kind.default', 'declare.provider.api-key.default');
    expect(describeAll(provider('router', 'https://router.example/v1')).providers.at(-1)).toEqual({
      name: 'router',
      kind: 'openai',
      host: 'router.example',
      apiKeyEnv: null,
      live: true,
      builtIn: false,
    });
  });

  it('take the place of built-in ones, whose key they do not get', () => {
    const [anthropic] = describeAll(
      provider('anthropic', 'http://127.0.0.1:9', { kind: 'anthropic' }),
    ).providers;
    expect(anthropic).toMatchObject({ host: '127.0.0.1:9', apiKeyEnv: null, builtIn: false });
    expect(problems(provider('anthropic', 'http://127.0.0.1:9', { kind: 'anthropic' }))).toEqual([]);
    const { plugin } = createModels([provider('anthropic', 'http://127.0.0.1:9')], { env: () => undefined });
    expect(plugin.check?.({ table: testHost().table, env: () => undefined })).toMatchObject([
      { severity: 'warning', code: 'provider-replaces', fix: "add kind: 'anthropic', unless that is meant" },
    ]);
  });

  it('have a kind that there is, and options that are known', () => {
    verifies('declare.provider.kind');
    // @ts-expect-error: a program without types may pass it
    expect(problems(provider('a', 'http://a', { kind: 'antropic' }))).toEqual([
      'provider "a": unknown kind "antropic" (did you mean "anthropic"?)',
    ]);
    // @ts-expect-error: the same
    expect(problems(provider('a', 'http://a', { apiKeyenv: 'K' }))).toEqual([
      'provider "a": unknown option "apiKeyenv" (did you mean "apiKeyEnv"?)',
    ]);
    // @ts-expect-error: the same
    expect(problems(provider('a', 'http://a', { auth: 'basic' }))).toHaveLength(1);
    expect(problems(provider('a', 'http://a', { apiKeyEnv: 'a-key' }))).toHaveLength(1);
    expect(problems(provider('a', 'http://a', { anthropicVersion: '2026-10-21' }))).toHaveLength(1);
  });

  it.each(['ftp://host', 'host', 'https://u:p@host', 'https://host?key=1', ''])(
    'have no base URL like %s',
    (url) => {
      const found = problems(provider('a', url));
      expect(found).toHaveLength(1);
      expect(found.join()).not.toContain('u:p');
    },
  );

  it.each(['', 'a/b', 'a b', '-a', 'a'.repeat(65)])('have no name like "%s"', (name) => {
    expect(problems(provider(name, 'http://host'))).toHaveLength(1);
  });

  it('are declared once', () => {
    expect(problems(provider('a', 'http://a'), provider('a', 'http://b'))[0]).toMatch(
      /is declared at .* already/,
    );
  });

  it.each([
    [undefined, 'http://127.0.0.1:11434'],
    ['', 'http://127.0.0.1:11434'],
    ['gpu', 'http://gpu:11434'],
    ['gpu:80', 'http://gpu:80'],
    [':9000', 'http://127.0.0.1:9000'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['http://gpu:80/', 'http://gpu:80'],
    ['https://gpu', 'https://gpu:443'],
    ['[::]:80', 'http://127.0.0.1:80'],
  ])('of Ollama: OLLAMA_HOST=%s is %s', (host, origin) => {
    verifies('model.provider.keys');
    expect(ollamaOrigin(host)).toBe(origin);
    const { providers } = createModels([], {
      env: (name) => (name === 'OLLAMA_HOST' ? host : undefined),
    }).describe();
    expect(providers.find(({ name }) => name === 'ollama')?.host).toBe(new URL(origin).host);
  });

  it('are live once their key is there', () => {
    const { describe: show } = createModels([], { env: (name) => (name === 'OPENAI_API_KEY' ? 'k' : ' ') });
    expect(show().providers.map(({ name, live }) => [name, live])).toEqual([
      ['anthropic', false],
      ['openai', true],
      ['ollama', true],
    ]);
  });
});

describe('prices', () => {
  it('are listed by the model they are for', () => {
    const { prices } = describeAll(
      pricing('default', 5, 25),
      pricing('llama3', 0, 0, { cacheReadPerMtok: 1 }),
    );
    expect(prices).toEqual([
      {
        model: 'anthropic/claude-opus-5',
        inputPerMtok: 5,
        outputPerMtok: 25,
        cacheReadPerMtok: 0,
        cacheWritePerMtok: 0,
      },
      { model: 'llama3', inputPerMtok: 0, outputPerMtok: 0, cacheReadPerMtok: 1, cacheWritePerMtok: 0 },
    ]);
    expect(describeAll().prices).toEqual([]);
  });

  it('are amounts, one for each model', () => {
    expect(problems(pricing('default', -1, Number.NaN))).toHaveLength(2);
    // @ts-expect-error: a program without types may pass it
    expect(problems(pricing('default', '5', 25))).toHaveLength(1);
    expect(problems(pricing('default', 0, 0))).toEqual([]);
    expect(problems(pricing('default', 999_999, 1_000_000))).toEqual([]);
    expect(problems(pricing('default', 1_000_001, 1e308))).toHaveLength(2);
    expect(problems(pricing('default', 5, 25), pricing('claude-opus-5', 5, 25))).toHaveLength(1);
    expect(problems(pricing('opnai/x', 5, 25))).toEqual([
      'pricing "opnai/x": unknown provider "opnai" (did you mean "openai"?)',
    ]);
    // @ts-expect-error: the same
    expect(problems(pricing('default', 5, 25, { cacheReadPerMTok: 1 }))).toEqual([
      'pricing "default": unknown option "cacheReadPerMTok" (did you mean "cacheReadPerMtok"?)',
    ]);
  });
});

describe('check', () => {
  it('says of any name whether it leads to a model', () => {
    const { client } = createModels([models({ smart: 'gpt-5' })], { env: () => undefined });
    expect(['smart', 'default', 'openai/x', 'claude-x'].map((name) => client.check(name))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(client.check('smrt')).toMatchObject({
      declaration: 'model "smrt"',
      rule: 'unknown model "smrt"',
      nearest: 'smart',
    });
  });
});

describe('missingKeys', () => {
  const missing = (name: string, env: Readonly<Record<string, string>> = {}) =>
    createModels(
      [models({ both: ['gpt-5', 'claude-x'], free: ['gpt-5', 'ollama/llama3'], twice: ['gpt-5', 'gpt-4'] })],
      {
        env: (variable) => env[variable],
      },
    ).missingKeys(name);

  it('names the variables of which one has to be set', () => {
    expect(missing('default')).toEqual(['ANTHROPIC_API_KEY']);
    expect(missing('gpt-5')).toEqual(['OPENAI_API_KEY']);
    expect(missing('both')).toEqual(['OPENAI_API_KEY', 'ANTHROPIC_API_KEY']);
    expect(missing('twice')).toEqual(['OPENAI_API_KEY']);
    expect(missing('both', { OPENAI_API_KEY: ' ' })).toHaveLength(2);
  });

  it('names none where a provider has its key or needs none, or where there is no model', () => {
    expect(missing('both', { ANTHROPIC_API_KEY: 'x' })).toEqual([]);
    expect(missing('free')).toEqual([]);
    expect(missing('smrt')).toEqual([]);
  });
});
