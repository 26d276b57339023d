import { readFileSync } from 'node:fs';
import { toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import {
  type Application,
  type ApplicationOptions,
  createApplication,
  DeclarationError,
  type Problem,
} from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application } from './serve.ts';

const here = 'apps/server/test/policy-problems.test.ts';

/** What `listen` refuses; `check` says the same. */
async function problemsOf(app: Application): Promise<readonly Problem[]> {
  const error = await app.listen().then(
    ({ close }) => close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeclarationError);
  const { problems } = error as DeclarationError;
  expect(app.check()).toEqual(problems);
  return problems;
}

async function linesOf(app: Application): Promise<readonly string[]> {
  return (await problemsOf(app)).map(toProblemLine);
}

/** The lines without place and fix; the place is looked at below, the fixes with the fixtures. */
async function rulesOf(app: Application): Promise<readonly string[]> {
  return (await problemsOf(app)).map(({ declaration, rule, nearest, fix }) => {
    expect(fix ?? nearest).toEqual(expect.any(String));
    return toProblemLine({ declaration, rule, ...(nearest !== undefined && { nearest }) });
  });
}

/** What JavaScript can pass. */
const any = (value: unknown): never => value as never;

const origin = 'https://app.example.com';

describe('a policy that is declared wrongly', () => {
  it.each<[string, (app: Application) => Application]>([
    ['cors: origins is not a list of texts', (app) => app.cors(any('https://a.example'))],
    ['cors: no origin is listed', (app) => app.cors(any(undefined))],
    ['cors: origins is not a list of texts', (app) => app.cors(any(5))],
    ['cors: origins is not a list of texts', (app) => app.cors(any([5, null]))],
    ['cors: origins is not a list of texts', (app) => app.cors(any({ origins: [origin] }))],
    ['cors: no origin is listed', (app) => app.cors([])],
    ['cors: "app.example.com" is not an origin', (app) => app.cors(['app.example.com'])],
    ['cors: "https://app.example.com/" is not an origin', (app) => app.cors([`${origin}/`])],
    [
      'cors: the origin "*" cannot be combined with credentials',
      (app) => app.cors(['*'], { credentials: true }),
    ],
    [
      'cors: the origin "null" cannot be combined with credentials',
      (app) => app.cors([origin, 'null'], { credentials: true }),
    ],
    ['cors: credentials is not true or false', (app) => app.cors([origin], { credentials: any('yes') })],
    ['cors: methods is not a list of texts', (app) => app.cors([origin], { methods: any('GET') })],
    ['cors: headers is not a list of texts', (app) => app.cors([origin], { headers: any({}) })],
    ['cors: expose is not a list of texts', (app) => app.cors([origin], { expose: any(null) })],
    ['cors: "x y" is not the name of a method or header', (app) => app.cors([origin], { expose: ['x y'] })],
    ['cors: maxAge is not a number', (app) => app.cors([origin], { maxAge: any('600') })],
    ['cors: maxAge is not a whole number of seconds', (app) => app.cors([origin], { maxAge: -1 })],
    ['cors: maxAge is not a whole number of seconds', (app) => app.cors([origin], { maxAge: 0.5 })],
    [
      'cors: unknown option "max_age" (did you mean "maxAge"?)',
      (app) => app.cors([origin], any({ max_age: 5 })),
    ],
    [
      'cors: unknown option "credential" (did you mean "credentials"?)',
      (app) => app.cors([origin], any({ credential: true })),
    ],
    ['cors: unknown option "constructor"', (app) => app.cors([origin], any({ constructor: 1 }))],
    ['rateLimit: perSecond is not a number above 0', (app) => app.rateLimit(0)],
    ['rateLimit: perSecond is not a number above 0', (app) => app.rateLimit(-5)],
    ['rateLimit: perSecond is not a number above 0', (app) => app.rateLimit(Number.NaN)],
    ['rateLimit: perSecond is not a number above 0', (app) => app.rateLimit(Number.POSITIVE_INFINITY)],
    ['rateLimit: perSecond is not a number', (app) => app.rateLimit(any('50'))],
    ['rateLimit: perSecond is not a number', (app) => app.rateLimit(any(null))],
    ['rateLimit: perSecond is not a number', (app) => app.rateLimit(any({ perSecond: 5 }))],
    ['rateLimit: burst is not a number from 1', (app) => app.rateLimit(5, { burst: 0.9 })],
    ['rateLimit: burst is not a number from 1', (app) => app.rateLimit(5, { burst: -1 })],
    ['rateLimit: burst is not a number', (app) => app.rateLimit(5, { burst: any('9') })],
    [
      'rateLimit: unknown option "brust" (did you mean "burst"?)',
      (app) => app.rateLimit(5, any({ brust: 9 })),
    ],
    [
      'securityHeaders: unknown frameOptions "deny" (did you mean "DENY"?)',
      (app) => app.securityHeaders({ frameOptions: any('deny') }),
    ],
    [
      'securityHeaders: frameOptions is not a text',
      (app) => app.securityHeaders({ frameOptions: any(false) }),
    ],
    [
      'securityHeaders: enabled is not true or false',
      (app) => app.securityHeaders({ enabled: any('false') }),
    ],
    [
      'securityHeaders: referrerPolicy cannot be sent as a header',
      (app) => app.securityHeaders({ referrerPolicy: 'origin\r\nx: y' }),
    ],
    [
      'securityHeaders: contentSecurityPolicy cannot be sent as a header',
      (app) => app.securityHeaders({ contentSecurityPolicy: '' }),
    ],
    [
      'securityHeaders: contentSecurityPolicy "page" is no policy',
      (app) => app.securityHeaders({ contentSecurityPolicy: 'page' }),
    ],
    [
      'securityHeaders: contentSecurityPolicy is not a text',
      (app) => app.securityHeaders({ contentSecurityPolicy: any({ 'default-src': ["'self'"] }) }),
    ],
    [
      'securityHeaders: hstsMaxAge is not a whole number of seconds',
      (app) => app.securityHeaders({ hstsMaxAge: -1 }),
    ],
    [
      'securityHeaders: unknown option "frame_options" (did you mean "frameOptions"?)',
      (app) => app.securityHeaders(any({ frame_options: 'DENY' })),
    ],
    ['securityHeaders: the options are not an object', (app) => app.securityHeaders(any(false))],
    ['cors: the options are not an object', (app) => app.cors([origin], any('credentials'))],
    ['rateLimit: the options are not an object', (app) => app.rateLimit(5, any(9))],
    ['cors: "https://*.example.com" is not an origin', (app) => app.cors(['https://*.example.com'])],
  ])('is refused: %s', async (line, declare) => {
    verifies('http.cors.star-credentials');
    expect(await rulesOf(declare(application()))).toEqual([line]);
  });

  it('is named with its file and line, all at once with everything else', async () => {
    const app = application({ failureLimit: { burst: 0 } });
    app.cors(['*'], { credentials: true });
    app.rateLimit(-1);
    app.securityHeaders({ hstsMaxAge: -1 });
    app.get('no-slash', () => 1);
    const lines = await linesOf(app);
    for (const [call, rule] of [
      [".cors(['*']", 'cors: the origin "*" cannot be combined with credentials'],
      ['.rateLimit(-1)', 'rateLimit: perSecond is not a number above 0'],
      [
        '.securityHeaders({ hstsMaxAge: -1 });',
        'securityHeaders: hstsMaxAge is not a whole number of seconds',
      ],
    ] as const)
      expect(lines).toContainEqual(expect.stringContaining(`${here}:${lineOf(`app${call}`)}  ${rule}; `));
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^apps\/server\/test\/serve\.ts:\d+ {2}failureLimit: burst is not a number from 1; /,
      ),
    );
    expect(lines).toContainEqual(expect.stringContaining('route GET no-slash'));
    expect(lines).toHaveLength(5);
  });

  it('is named with the place that a wrapping function passes on', async () => {
    const declaredAt = 'my/wrapper.ts:7';
    const app = application().cors([], { declaredAt }).rateLimit(0, { declaredAt });
    app.securityHeaders({ hstsMaxAge: 0.5, declaredAt });
    expect((await linesOf(app)).map((line) => line.split('  ')[0])).toEqual([
      declaredAt,
      declaredAt,
      declaredAt,
    ]);
  });

  it('is forgotten once a good one replaces it', () => {
    const app = application().cors(any('x')).cors([origin]).rateLimit(-1).rateLimit(1);
    app.securityHeaders({ hstsMaxAge: -1 }).securityHeaders({});
    expect(app.check()).toEqual([]);
  });

  it('does not keep the other parts of the application from being looked at', () => {
    const app = application()
      .cors(any('x'))
      .rateLimit(any('x'))
      .get('/maps', () => 1);
    expect(app.security()).toMatchObject({ cors: null });
    expect(app.table.size).toBeGreaterThan(1);
  });
});

describe('an option of the application that is wrong', () => {
  it.each<[string, object]>([
    ['application: publicUrl is not a text', { publicUrl: 5 }],
    ['publicUrl: "app.example.com" is not an http or https URL', { publicUrl: 'app.example.com' }],
    ...[
      'https://app.example.com/shop?a=1',
      'https://app.example.com/#a',
      'https://ann:secret@app.example.com',
    ].map((publicUrl): [string, object] => [
      'publicUrl: the URL of app.example.com has more than an origin and a path',
      { publicUrl },
    ]),
    [
      'publicUrl: "ftp://app.example.com" is not an http or https URL',
      { publicUrl: 'ftp://app.example.com' },
    ],
    ['application: allowedHosts is not a list of texts', { allowedHosts: 'a.example' }],
    ['application: allowedHosts is not a list of texts', { allowedHosts: [5] }],
    ['allowedHosts: "*.example" is not a host name', { allowedHosts: ['*.example'] }],
    ['allowedHosts: "a.example:80" is not a host name', { allowedHosts: ['a.example:80'] }],
    ['trustProxy: it is false, a number of hops, or a list of addresses and networks', { trustProxy: true }],
    [
      'trustProxy: it is false, a number of hops, or a list of addresses and networks',
      { trustProxy: 'loopback' },
    ],
    ['trustProxy: it is false, a number of hops, or a list of addresses and networks', { trustProxy: null }],
    ['trustProxy: a number of hops is a whole number', { trustProxy: -1 }],
    ['trustProxy: "10.0.0.0/99" is neither an address nor a network', { trustProxy: ['10.0.0.0/99'] }],
    ['failureLimit: perSecond is not a number above 0', { failureLimit: { perSecond: 0 } }],
    ['failureLimit: burst is not a number from 1', { failureLimit: { burst: 0 } }],
    ['failureLimit: burst is not a number', { failureLimit: { burst: '9' } }],
    ['failureLimit: unknown option "brust" (did you mean "burst"?)', { failureLimit: { brust: 9 } }],
    ['failureLimit: the options are not an object', { failureLimit: 5 }],
    ['failureLimit: the options are not an object', { failureLimit: null }],
    ['application: mcpScopes is not a list of texts', { mcpScopes: 'tools:use' }],
    ['application: allowUnauthenticated is not true or false', { allowUnauthenticated: 'false' }],
    ['application: strictQuery is not true or false', { strictQuery: 1 }],
    ['application: description is not a text', { description: 5 }],
    ['application: version is not a text', { version: 2 }],
    ['application: controlPrefix is not a text', { controlPrefix: null }],
    ['application: host is not a text', { host: 127 }],
    ['application: requestTimeout is not a number', { requestTimeout: '30' }],
    ['application: unknown option "trust_proxy" (did you mean "trustProxy"?)', { trust_proxy: 1 }],
    ['application: unknown option "allowedHost" (did you mean "allowedHosts"?)', { allowedHost: [] }],
  ])('is refused: %s', async (line, options) => {
    expect(await rulesOf(application(options))).toEqual([line]);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'description'],
    ['a list', ['description']],
  ])('is refused where %s stands for all of them', (_what, options) => {
    const app = createApplication('shop', any(options));
    const place = `${here}:${lineOf('const app = createApplication')}`;
    expect(app.check().map(toProblemLine)).toEqual([
      `${place}  application: the options are not an object; write { name: value }`,
    ]);
  });

  it('does not open what it was meant to open', async () => {
    const options = { host: '0.0.0.0', allowUnauthenticated: any('false') } satisfies ApplicationOptions;
    expect(await rulesOf(application(options))).toEqual([
      'application: allowUnauthenticated is not true or false',
      expect.stringContaining('application: host 0.0.0.0 is reachable from elsewhere'),
    ]);
  });
});

/** The line of this file that holds a call. */
function lineOf(call: string): number {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n');
  return lines.findIndex((line) => line.trimStart().startsWith(call)) + 1;
}
