import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOptions, type Kind } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { createApplicationWith, DeclarationError } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { DeclarationList } from '../src/declaring/declaration-list.ts';
import { features, type MethodName } from '../src/declaring/features.ts';
import { toMethods } from '../src/declaring/to-methods.ts';
import { countdownsFeature } from './fixtures/countdowns/countdowns-feature.ts';
import { application, ask, rpc, serve } from './serve.ts';

const here = 'apps/server/test/features.test.ts';

/** A call of each method, with all of its options where they stand. */
const calls: Readonly<Record<MethodName, readonly unknown[]>> = {
  get: ['/maps', { tool: true }, () => 1],
  post: ['/maps', { tool: true }, () => 1],
  put: ['/maps', { tool: true }, () => 1],
  patch: ['/maps', { tool: true }, () => 1],
  delete: ['/maps', { tool: true }, () => 1],
  route: ['GET', '/maps', { tool: true }, () => 1],
  static: ['GET', '/maps', { a: 1 }, { status: 201 }],
  apiKey: ['SHOP_KEY', 'shop', { scopes: ['maps:read'] }],
  jwt: ['JWT_SECRET', { audience: 'shop' }],
  anonymousScopes: ['maps:read', 'maps:write'],
  cors: [['https://app.example.com'], { credentials: true }],
  rateLimit: [5, { burst: 9 }],
  securityHeaders: [{ enabled: false }],
  models: [{ default: 'one' }, {}],
  provider: ['own', 'http://127.0.0.1:1/v1', { kind: 'openai' }],
  pricing: ['one', 1, 2, {}],
  query: ['GET', '/maps', 'select 1', { returns: 'one' }],
  resource: ['maps', { title: 'text' }, { tools: true }],
  memory: ['notes', { maxResults: 3 }],
  page: ['/', 'home', { data: { a: 1 } }],
  pageHandler: ['/', 'home', { status: 201 }, () => ({})],
  staticFiles: ['/files', 'public', { index: 'index.html' }],
  upstream: ['desk', 'http://127.0.0.1:1', { timeoutMs: 5 }],
  proxy: ['GET', '/maps', 'desk', { tool: true }],
  agent: ['helper', { scopes: ['maps:read'] }],
  behaviour: ['tidy', { maxSteps: 3 }, () => 1],
  context: ['today', { data: 1 }],
  flow: ['triage', { pipeline: ['one'] }],
  camera: ['door', { keep: 3 }],
  sensor: ['thermo', { tool: false }],
  notify: ['https://desk.example.com/hook', { events: ['run_finished'], name: 'desk' }],
  watch: ['guard', { device: 'door', agent: 'helper' }],
};

const rows = features.flatMap(({ name, kinds }) =>
  kinds.map((kind: Kind): readonly [MethodName, string, Kind] => [kind.method as MethodName, name, kind]),
);

function freeze<T>(value: T): T {
  if (isOptions(value) || Array.isArray(value)) for (const one of Object.values(value)) freeze(one);
  return Object.freeze(value);
}

/** The options of a call, wherever they stand. */
function optionsOf({ options }: Kind, given: readonly unknown[]): number | undefined {
  return typeof options === 'function' ? options(given) : options;
}

describe('a method of an application', () => {
  it.each(rows)(
    '%s hands over to a pure function, which returns its declaration as data',
    (name, feature, kind) => {
      verifies('face.methods.thin');
      const declaredAt = 'app.ts:1';
      const place = optionsOf(kind, calls[name]);
      const given = freeze(
        calls[name].map((one, i) => (i === place ? { ...(one as object), declaredAt } : one)),
      );
      const declare = kind.declare as (...given: readonly unknown[]) => object;
      // Pure: what it is given stays as it is, and the same comes of the same. Functions are kept, not called.
      const [declaration = {}, again] = [1, 2].map(() => declare(...given));
      expect(comparable(again)).toEqual(comparable(declaration));
      // Data: no class and no promise.
      expect(Object.getPrototypeOf(declaration)).toBe(Object.prototype);

      const list = new DeclarationList(features);
      const self = {};
      const method = toMethods(features, list, () => self)[name];
      const answer = method?.(...given);
      const { declared, callProblems } = list.copy();
      const kept =
        place === undefined ? [{ ...declaration, declaredAt: expect.any(String) as string }] : [declaration];
      expect(declared[feature]?.map(comparable)).toEqual(kept.map(comparable));
      expect(Object.values(declared).flat()).toHaveLength(1);
      expect(callProblems).toEqual([]);
      expect(answer).toEqual(name === 'memory' ? (declaration as { tools?: unknown }).tools : self);
    },
  );

  it.each(rows.filter(([, , { options }]) => options !== undefined))(
    '%s says so where its options are no object, with the place of its call',
    (name, _feature, kind) => {
      const app = application();
      const given = calls[name].map((one, i) => (i === optionsOf(kind, calls[name]) ? 5 : one));
      // jwt: what is no object is a variable.
      if (name === 'jwt') given[1] = 5;
      (app[name] as (...given: readonly unknown[]) => unknown)(...given);
      const problems = app.check().filter(({ code }) => code === 'options-form');
      expect(problems).toHaveLength(1);
      expect(problems[0]?.at).toBe(`${here}:${lineOf('(app[name] as')}`);
    },
  );
});

describe('a method with several forms', () => {
  const tidy = (): number => 1;

  it.each<[MethodName, readonly unknown[], readonly unknown[]]>([
    ['get', ['/maps', tidy], ['/maps', {}, tidy]],
    ['delete', ['/maps', tidy], ['/maps', {}, tidy]],
    ['static', ['GET', '/maps', 1], ['GET', '/maps', 1, {}]],
    ['pageHandler', ['/', 'home', tidy], ['/', 'home', {}, tidy]],
    ['behaviour', [tidy], ['tidy', {}, tidy]],
    ['behaviour', [{ maxSteps: 3 }, tidy], ['tidy', { maxSteps: 3 }, tidy]],
    ['memory', [], ['memory', {}]],
    ['camera', ['door'], ['door', {}]],
    ['rateLimit', [], [undefined, {}]],
  ])('%s declares the same by %j as in full', (name, short, full) => {
    const list = new DeclarationList(features);
    const method = toMethods(features, list, () => undefined)[name];
    for (const given of [short, full]) method?.(...given);
    const [one, other] = Object.values(list.copy().declared).flat().map(comparable);
    expect(one).toEqual(other);
  });

  it('says where an option of a context or of a token stands, whatever comes before it', () => {
    const declaredAt = 'my/wrapper.ts:7';
    const app = application()
      .context('fn', () => 1, { maxChars: 0, declaredAt })
      .context('none', { declaredAt })
      .jwt('UNSET', { declaredAt })
      .jwt({ issuer: 'nowhere', declaredAt });
    expect(new Set(app.check().map(({ at }) => at))).toEqual(new Set([declaredAt]));
    expect(app.check().map(({ declaration }) => declaration)).toEqual(
      expect.arrayContaining(['context "fn"', 'context "none"', 'jwt "UNSET"']),
    );
  });
});

/** What can be compared: the engines of routes hold functions that are made anew. */
function comparable(declaration: unknown): unknown {
  const { engine, ...rest } = declaration as { readonly engine?: { readonly kind: string } };
  return { ...rest, ...(engine && { engine: engine.kind }) };
}

/** The line of this file that begins with a text. */
function lineOf(text: string): number {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n');
  return lines.findIndex((line) => line.trimStart().startsWith(text)) + 1;
}

/** A whole new word of the language, with state of its own. */
describe('a new kind of declaration', () => {
  const options = { port: 0, env: { LOG_LEVEL: 'silent' } };

  it('is at most six files of one folder, and known nowhere else', () => {
    expect(readdirSync(join(import.meta.dirname, 'fixtures', 'countdowns')).length).toBeLessThanOrEqual(6);
  });

  it('is served, listed, counted and stopped', async () => {
    const app = createApplicationWith(countdownsFeature)('yard', options);
    app
      .countdown('launch', { seconds: 600 })
      .countdown('landing', { seconds: 0.3 })
      .get('/', () => 'yard');
    const { url, close } = await serve(app);
    const { left_ms } = (await ask(`${url}/countdowns/launch`)).body as { readonly left_ms: number };
    expect(left_ms).toBeGreaterThan(590_000);
    expect(left_ms).toBeLessThanOrEqual(600_000);
    expect(await rpc(url, 'tools/call', { name: 'launch', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('"name":"launch"') as string }],
    });
    // Over a socket it says when it is over.
    expect(await messagesOf(`${url}/countdowns/landing/live`)).toEqual([{ left_ms: 0 }]);
    expect((await ask(`${url}/_svc/countdowns`)).body).toEqual({
      countdowns: [
        { name: 'launch', left_ms: expect.any(Number) as number },
        { name: 'landing', left_ms: 0 },
      ],
    });
    expect((await ask(`${url}/_svc/health`)).body).toMatchObject({ watchers: 1 });
    expect((await ask(`${url}/_svc/routes`)).body).toMatchObject({
      routes: expect.arrayContaining([
        expect.objectContaining({ path: '/countdowns/launch', tool: 'launch' }),
        expect.objectContaining({ path: '/countdowns/launch/live' }),
      ]) as unknown,
    });
    await close();
  });

  it('is checked at boot like all others, each problem with its line', async () => {
    const app = createApplicationWith(countdownsFeature)('yard', options);
    app.countdown('launch', { seconds: 0 });
    app.countdown('Landing', { secnods: 5 } as object);
    app.countdown('none', 'soon' as never);
    const error: unknown = await app.listen().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeclarationError);
    expect(app.check()).toEqual((error as DeclarationError).problems);
    expect(app.check().map(({ declaration, code, at }) => [declaration, code, at])).toEqual([
      ['countdown "none"', 'options-form', `${here}:${lineOf("app.countdown('none'")}`],
      [
        'countdown "launch"',
        'countdown-seconds',
        `${here}:${lineOf("app.countdown('launch', { seconds: 0")}`,
      ],
      ['countdown "Landing"', 'unknown-option', `${here}:${lineOf("app.countdown('Landing'")}`],
      ['countdown "Landing"', 'countdown-name', `${here}:${lineOf("app.countdown('Landing'")}`],
    ]);
  });

  it('says at boot what its plugin needs and the application does not have', () => {
    const needy = {
      name: 'needy',
      kinds: [],
      plugin: () => ({ name: 'needy', routes: [], needs: ['runner', 'database'] as const }),
    };
    const make = createApplicationWith(needy);
    const app = make('yard', options);
    expect(app.check()).toMatchObject([
      {
        declaration: 'plugin "needy"',
        rule: 'needs a database, and the application has none',
        at: `${here}:${lineOf("const app = make('yard'")}`,
      },
    ]);
  });

  it('has a name and methods that are not taken', () => {
    const { kinds } = countdownsFeature;
    expect(() => createApplicationWith({ name: 'agents', kinds })).toThrow(
      'there is a feature "agents" already',
    );
    expect(() => createApplicationWith(countdownsFeature, { name: 'other', kinds })).toThrow(
      'there is a method "countdown" already',
    );
    for (const method of ['get', 'listen', 'name'])
      expect(() => createApplicationWith({ name: 'own', kinds: [{ ...kinds[0], method }] })).toThrow(
        `there is a method "${method}" already`,
      );
  });

  it('stays with the applications that were made for it', () => {
    createApplicationWith(countdownsFeature);
    expect(application()).not.toHaveProperty('countdown');
  });
});

/** What a socket says until it closes. */
function messagesOf(url: string): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    const messages: unknown[] = [];
    const socket = new WebSocket(url.replace('http', 'ws'));
    socket.onmessage = ({ data }) => messages.push(JSON.parse(String(data)));
    socket.onerror = () => reject(new Error('the socket failed'));
    socket.onclose = () => resolve(messages);
  });
}
