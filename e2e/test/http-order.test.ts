import { toRoute } from '@waymark/contract';
import type { Engine, Peer } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import {
  type Application,
  type ApplicationOptions,
  createApplication,
  type RunningApplication,
  Type,
} from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { exchange, handshakeLines, type RawAnswer, rawClient, rawRequest } from './raw-client.ts';

/** Each principal with its key, what it holds, and whether its rate is used up before the tests. */
const principals = {
  good: ['things', 'svc:admin'],
  poor: [],
  admin: ['svc:admin'],
  hasty: ['things', 'svc:admin'],
  'hasty-admin': ['svc:admin'],
} as const;
type PrincipalName = keyof typeof principals;

const secretOf = (name: string): string => `the-secret-of-${name}-in-these-tests`;
const variableOf = (name: string): string => `${name.toUpperCase().replace('-', '_')}_KEY`;

const appOrigin = 'https://app.example.com';
const evilOrigin = 'https://evil.example';
const burst = 100;

/** The same route twice: `/things`, and below the control prefix. `/slow` never answers. */
function application(options: ApplicationOptions = {}): Application {
  const env = Object.fromEntries(
    Object.keys(principals).map((name) => [variableOf(name), secretOf(name)] as const),
  );
  const app = createApplication('order', { port: 0, env: { LOG_LEVEL: 'silent', ...env }, ...options });
  for (const [name, scopes] of Object.entries(principals)) app.apiKey(variableOf(name), name, { scopes });
  const shared = { scopes: ['things'], input: { n: Type.Integer() }, maxBodyBytes: 16 };
  const answers: Engine = { kind: 'handler', answer: () => 'done' };
  const hangs: Engine = { kind: 'handler', answer: () => new Promise(() => {}) };
  for (const plane of ['data', 'control'] as const) {
    app.add(toRoute('POST', '/things', answers, { ...shared, plane }));
    app.add(toRoute('POST', '/slow', hangs, { ...shared, plane, timeoutMs: 30 }));
    const feed: Engine = { kind: 'handler', accept: (peer: Peer) => peer.send('welcome') };
    const query = { n: Type.Integer({ default: 1 }) };
    app.add(toRoute('GET', '/feed', feed, { scopes: ['things'], input: query, plane, socket: true }));
  }
  app.get('/things/{id}', { scopes: ['things'], input: { id: Type.Integer() } }, ({ id }) => ({ id }));
  app.get('/open', () => 'open');
  app.static('GET', '/constant', { a: 1 });
  return app.cors([appOrigin]);
}

async function _listen(app: Application): Promise<RunningApplication> {
  const running = await app.listen();
  onTestFinished(() => running.close());
  return running;
}

/** Listens until the test is over. */
async function listen(app: Application): Promise<RunningApplication> {
  const running = await app.listen();
  onTestFinished(() => running.close());
  return running;
}

/** Everything that can be wrong with a request at once. */
type Fault =
  | 'two hosts'
  | 'malformed host'
  | 'foreign host'
  | 'foreign origin'
  | 'wrong credential'
  | 'no credential'
  | 'no authority'
  | 'unknown path'
  | 'other method'
  | 'used up rate'
  | 'no scope'
  | 'too large'
  | 'no JSON type'
  | 'broken JSON'
  | 'broken query'
  | 'invalid'
  | 'slow';

/** What a fault is answered when it is the first one. */
type Answer = readonly [status: number, detail: string | RegExp];

const faultsOutside = {
  'two hosts': [400, 'a request needs one Host header'],
  'malformed host': [400, /Host/],
  'foreign origin': [
    403,
    `requests from pages of the origin ${evilOrigin} are not allowed: list it in \`cors\``,
  ],
  'unknown path': [404, 'nothing is served at this path'],
  'other method': [405, /^DELETE is not allowed here, only [A-Z, ]+$/],
  'wrong credential': [401, 'the credential is not valid'],
  'used up rate': [429, 'the rate limit is exceeded'],
  'no credential': [401, 'authentication is needed for scope "things"'],
  'no scope': [403, 'missing scope "things"'],
  'too large': [413, 'the body is larger than 16 bytes'],
  'no JSON type': [415, 'the body must be application/json in UTF-8, not text/plain'],
  'broken JSON': [400, /^the body is not JSON: /],
  'broken query': [400, 'the query is not valid percent-encoding'],
  invalid: [422, /n must be integer|\/n/],
  slow: [504, 'timed out after 0.03 s'],
} as const satisfies Partial<Record<Fault, Answer>>;

const faultsInside = {
  'two hosts': faultsOutside['two hosts'],
  'malformed host': faultsOutside['malformed host'],
  'foreign host': [
    403,
    'the host evil.example is not allowed here: name it in `allowedHosts` or as `publicUrl`',
  ],
  'foreign origin': faultsOutside['foreign origin'],
  'wrong credential': faultsOutside['wrong credential'],
  'no credential': [401, 'authentication is needed for scope "svc:admin"'],
  'no authority': [403, 'missing scope "svc:admin"'],
  'unknown path': faultsOutside['unknown path'],
  'other method': faultsOutside['other method'],
  'used up rate': faultsOutside['used up rate'],
  'no scope': faultsOutside['no scope'],
  'too large': faultsOutside['too large'],
  'no JSON type': faultsOutside['no JSON type'],
  'broken JSON': faultsOutside['broken JSON'],
  'broken query': faultsOutside['broken query'],
  invalid: faultsOutside.invalid,
  slow: faultsOutside.slow,
} as const satisfies Partial<Record<Fault, Answer>>;

/** Faults that no request can have at once, or whose order is nobody's business. */
const exclusive: readonly (readonly Fault[])[] = [
  ['two hosts', 'malformed host', 'foreign host'],
  ['unknown path', 'other method', 'slow'],
  ['wrong credential', 'no credential', 'no authority', 'used up rate'],
  ['wrong credential', 'no credential', 'no authority', 'no scope'],
  ['broken JSON', 'broken query'],
];

function keyFor(has: (fault: Fault) => boolean): string | undefined {
  if (has('wrong credential')) return 'not-the-secret-of-anybody';
  if (has('no credential')) return undefined;
  const lacking: PrincipalName = has('no authority') ? 'poor' : has('no scope') ? 'admin' : 'good';
  if (!has('used up rate')) return secretOf(lacking);
  return secretOf(lacking === 'good' ? 'hasty' : 'hasty-admin');
}

/** A request for `/things` that has these faults and no others. */
function faulty(faults: readonly Fault[], prefix: string): string {
  const has = (fault: Fault): boolean => faults.includes(fault);
  const key = keyFor(has);
  const path = has('unknown path') ? '/nothing' : has('slow') ? '/slow' : '/things';
  const value = has('invalid') ? '"x"' : '1';
  const host = has('malformed host') ? 'local host' : has('foreign host') ? 'evil.example' : 'localhost';
  const lines = [
    `Host: ${host}`,
    ...(has('two hosts') ? ['Host: localhost'] : []),
    ...(has('foreign origin') ? [`Origin: ${evilOrigin}`] : []),
    ...(key === undefined ? [] : [`X-Api-Key: ${key}`]),
    `Content-Type: ${has('no JSON type') ? 'text/plain' : 'application/json'}`,
    // Declared only, so that nothing need be sent.
    ...(has('too large') ? ['Content-Length: 17'] : []),
    'Connection: close',
  ];
  const body = has('too large') ? '' : `{"n":${value}${has('broken JSON') ? '' : '}'}`;
  const target = `${prefix}${path}${has('broken query') ? '?a=%zz' : ''}`;
  return rawRequest(has('other method') ? 'DELETE' : 'POST', target, lines, body);
}

/** The answer to one request, without waiting for what becomes of the connection. */
async function first(port: number, bytes: string): Promise<RawAnswer> {
  const client = await rawClient(port);
  client.send(bytes);
  const [answer] = await client.until(1);
  client.socket.destroy();
  return answer as RawAnswer;
}

const detailOf = ({ body }: RawAnswer): unknown => (JSON.parse(body) as { detail?: unknown }).detail;

function pairsOf(faults: readonly Fault[]): readonly (readonly [Fault, Fault])[] {
  return faults.flatMap((earlier, i) =>
    faults
      .slice(i + 1)
      .filter((later) => !exclusive.some((group) => group.includes(earlier) && group.includes(later)))
      .map((later) => [earlier, later] as const),
  );
}

describe.each([
  ['a route', '', faultsOutside, 'table first'],
  ['a control route', '/_svc', faultsInside, 'table first'],
  ['a route behind middleware', '', faultsOutside, 'in express'],
  ['a control route behind middleware', '/_svc', faultsInside, 'in express'],
] as const)('the one order, for %s', (_what, prefix, answers, door) => {
  const faults = Object.keys(answers) as (keyof typeof answers)[];
  let server: RunningApplication;
  beforeAll(async () => {
    // Nothing fills up again while the tests run.
    const app = application({ failureLimit: { perSecond: 1e-6, burst: 1e6 } }).rateLimit(1e-6, { burst });
    if (door === 'in express') app.use((_req, _res, next) => next());
    server = await app.listen();
    for (const name of ['hasty', 'hasty-admin'] as const) await useUp(server.port, name);
  });
  afterAll(() => server.close());

  const expectAnswer = async (given: readonly Fault[], [status, detail]: Answer): Promise<void> => {
    const answer = await first(server.port, faulty(given, prefix));
    const [told, expected] = [detailOf(answer), detail];
    expect([answer.status, told]).toEqual([
      status,
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  };

  it('lets a request pass that has no fault', async () => {
    expect(await first(server.port, faulty([], prefix))).toMatchObject({ status: 200, body: '"done"' });
  });

  it.each(faults)('answers "%s" alone', async (fault) => {
    await expectAnswer([fault], answers[fault]);
  });

  it.each(pairsOf(faults))('answers "%s" before "%s"', async (earlier, later) => {
    verifies('http.order.rate', 'http.order.scopes', 'http.order.scopes-before-body', 'http.order.timeout');
    await expectAnswer([earlier, later], answers[earlier as keyof typeof answers]);
  });

  it('answers the first of all faults at once', async () => {
    await expectAnswer(
      faults.filter((fault) => !['malformed host', 'foreign host', 'slow', 'other method'].includes(fault)),
      answers['two hosts'],
    );
  });
});

/** Spends all that the rate limit leaves to a principal. */
async function useUp(port: number, name: PrincipalName): Promise<void> {
  const request = rawRequest('GET', '/open', [`X-Api-Key: ${secretOf(name)}`]);
  const client = await rawClient(port);
  client.send(request.repeat(burst + 1));
  const answers = await client.until(burst + 1);
  client.socket.destroy();
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(burst);
  expect(answers.at(-1)?.headers['retry-after']).toMatch(/^\d+$/);
}

const preflight = (target: string, origin: string, ...lines: readonly string[]): string =>
  rawRequest('OPTIONS', target, [
    `Origin: ${origin}`,
    'Access-Control-Request-Method: POST',
    'Connection: close',
    ...lines,
  ]);

describe('a preflight', () => {
  const targets = ['/things', '/nothing', '/_svc/things', '/_svc/nothing'];

  it.each(targets)('of %s is answered before path, credential and rate', async (target) => {
    verifies('http.order.preflight');
    const { port } = await listen(application().rateLimit(1e-6, { burst: 1 }));
    const credentials = [[], ['X-Api-Key: wrong'], [`X-Api-Key: ${secretOf('good')}`], []];
    for (const lines of [...credentials, ...credentials]) {
      const { status, headers } = await first(port, preflight(target, appOrigin, ...lines));
      expect([status, headers['access-control-allow-origin']]).toEqual([204, appOrigin]);
    }
  });

  it.each(targets)('of %s from a foreign origin is 403 and allows nothing', async (target) => {
    const { port } = await listen(application());
    const { status, headers } = await first(port, preflight(target, evilOrigin));
    expect(status).toBe(403);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('comes after the Host guard', async () => {
    verifies('http.order.host-before-cors');
    const { port } = await listen(application());
    const foreign = await first(port, preflight('/_svc/things', appOrigin, 'Host: evil.example'));
    expect([foreign.status, foreign.headers['access-control-allow-methods']]).toEqual([403, undefined]);
    const two = await first(port, preflight('/things', appOrigin, 'Host: a', 'Host: b'));
    expect([two.status, two.headers['access-control-allow-methods']]).toEqual([400, undefined]);
  });
});

describe('the bucket of failures', () => {
  const wrong = 'X-Api-Key: wrong';
  const good = `X-Api-Key: ${secretOf('good')}`;
  const exhausted = async (): Promise<
    (method: string, target: string, ...lines: string[]) => Promise<RawAnswer>
  > => {
    const { port } = await listen(application({ failureLimit: { perSecond: 1e-3, burst: 3 } }));
    const ask = (method: string, target: string, ...lines: readonly string[]): Promise<RawAnswer> =>
      first(port, rawRequest(method, target, ['Connection: close', ...lines]));
    for (let i = 0; i < 3; i++) expect((await ask('GET', '/open', wrong)).status).toBe(401);
    return ask;
  };

  it('turns further wrong credentials into 429, and says when to come back', async () => {
    verifies('http.order.failure-bucket', 'http.status.429');
    const ask = await exhausted();
    for (const target of ['/open', '/things/1', '/_svc/things', '/_svc/nothing']) {
      const { status, headers } = await ask('GET', target, wrong);
      expect([target, status, Number(headers['retry-after']) > 0]).toEqual([target, 429, true]);
    }
  });

  it('lets a right credential in among wrong ones, wherever it is shown', async () => {
    verifies('http.order.failure-bucket.right-credential');
    const ask = await exhausted();
    for (let i = 0; i < 240; i++) await ask('GET', '/open', wrong);
    expect((await ask('GET', '/things/1', good)).status).toBe(200);
    expect((await ask('GET', '/_svc/routes', good)).status).toBe(200);
    expect((await ask('GET', '/things/1', `X-Api-Key: ${secretOf('poor')}`)).status).toBe(403);
  });

  it('leaves those who show no credential alone, and health in spite of any', async () => {
    const ask = await exhausted();
    expect((await ask('GET', '/open')).status).toBe(200);
    expect((await ask('GET', '/_svc/health', wrong)).status).toBe(200);
  });

  it('turns further 404 and 401 of the same address into 429, but not those of somebody known', async () => {
    verifies('http.order.failure-bucket.known');
    const ask = await exhausted();
    expect((await ask('GET', '/nothing', good)).status).toBe(404);
    expect((await ask('GET', '/_svc/nothing', good)).status).toBe(404);
    expect((await ask('GET', '/nothing', wrong)).status).toBe(429);
    expect((await ask('GET', '/nothing')).status).toBe(429);
    expect((await ask('GET', '/things/1')).status).toBe(429);
    expect((await ask('GET', '/_svc/nothing')).status).toBe(429);
    expect((await ask('DELETE', '/open')).status).toBe(405);
  });

  it('comes after Host, origin and preflight', async () => {
    const ask = await exhausted();
    expect((await ask('GET', '/open', wrong, 'Host: a', 'Host: b')).status).toBe(400);
    expect((await ask('GET', '/_svc/things', wrong, 'Host: evil.example')).status).toBe(403);
    expect((await ask('POST', '/things', wrong, `Origin: ${evilOrigin}`)).status).toBe(403);
    const asked = [`Origin: ${appOrigin}`, 'Access-Control-Request-Method: GET'];
    expect((await ask('OPTIONS', '/things', wrong, ...asked)).status).toBe(204);
  });
});

/** What an answer tells: all of it but when, and whether the connection outlives a body that was not read. */
function comparable({ status, headers, body }: RawAnswer): unknown {
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...told } = headers;
  return { status, told, body };
}

describe('who is not let in', () => {
  const callers = {
    'without a credential': [[], 401],
    'with a wrong one': [['X-Api-Key: wrong'], 401],
    'without the scope': [[`X-Api-Key: ${secretOf('poor')}`], 403],
  } as const;
  const json = 'Content-Type: application/json';
  const requests: readonly (readonly [
    method: string,
    target: string,
    lines: readonly string[],
    body: string,
  ])[] = [
    ['POST', '/things', [json], '{"n":1}'],
    ['POST', '/things', [json], '{"n":"x"}'],
    ['POST', '/things', [json], '{'],
    ['POST', '/things', [json], '{"__proto__":1}'],
    ['POST', '/things', ['Content-Type: text/plain'], 'x'],
    ['POST', '/things', [json, 'Content-Encoding: gzip'], 'x'],
    ['POST', '/things', [json, 'Content-Length: 99999999'], ''],
    ['POST', '/things', [json, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
    ['POST', '/things?a=%zz', [json], '{"n":1}'],
    ['POST', '/things?n=1&n=2', [json], '{"n":1}'],
    ['POST', '/slow', [json], '{"n":1}'],
    ['GET', '/things/1', [], ''],
    ['GET', '/things/2', [], ''],
    ['GET', '/things/not-a-number', [], ''],
    ['GET', '/things/1?a=%zz', [], ''],
  ];
  const inside: typeof requests = [
    ...requests.filter(([method]) => method === 'POST'),
    ['GET', '/nothing', [], ''],
    ['POST', '/nothing', [json], '{'],
    ['DELETE', '/things', [], ''],
    ['OPTIONS', '/things', [], ''],
    ['GET', '/feed', [], ''],
    ['GET', '/routes', [], ''],
    ['GET', '', [], ''],
    ['GET', '/%zz', [], ''],
    ['GET', '/mcp', [], ''],
  ];

  it.each(Object.entries(callers))(
    '%s reads the same whatever is asked for',
    async (_who, [lines, status]) => {
      verifies('http.order.scopes-before-body', 'http.order.control-first');
      const { port } = await listen(application({ failureLimit: { perSecond: 1e6, burst: 1e6 } }));
      for (const [prefix, asked] of [
        ['', requests],
        ['/_svc', inside],
      ] as const) {
        const answers: RawAnswer[] = [];
        for (const [method, target, more, body] of asked)
          answers.push(
            await first(
              port,
              rawRequest(
                method,
                prefix + target,
                ['Connection: close', 'X-Request-Id: r', ...lines, ...more],
                body,
              ),
            ),
          );
        expect(answers.map((answer) => answer.status)).toEqual(asked.map(() => status));
        const told = answers.map(comparable);
        expect(told).toEqual(told.map(() => told[0]));
      }
    },
  );
});

/** A route of every kind: what answers a method it does not have. */
const kinds = [
  ['a handler', '/things', 'POST', 'POST, OPTIONS'],
  ['a handler with a parameter', '/things/1', 'GET', 'GET, HEAD, OPTIONS'],
  ['a constant', '/constant', 'GET', 'GET, HEAD, OPTIONS'],
  ['a public handler', '/open', 'GET', 'GET, HEAD, OPTIONS'],
  ['a listing', '/_svc/routes', 'GET', 'GET, HEAD, OPTIONS'],
  ['the document', '/_svc/openapi.json', 'GET', 'GET, HEAD, OPTIONS'],
  ['health', '/_svc/health', 'GET', 'GET, HEAD, OPTIONS'],
  ['MCP', '/_svc/mcp', 'POST', 'POST, OPTIONS'],
] as const;

describe('of routes of every kind', () => {
  let server: RunningApplication;
  beforeAll(async () => {
    server = await application().listen();
  });
  afterAll(() => server.close());

  describe.each(kinds)('%s (%s)', (_kind, target, method, allow) => {
    const lines = ['Connection: close', `X-Api-Key: ${secretOf('good')}`];

    it('answers any other method 405 and lists those it has', async () => {
      verifies('http.status.405', 'http.order.match');
      for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        if (other === method) continue;
        const answer = await first(server.port, rawRequest(other, target, lines));
        expect([other, answer.status, answer.headers['allow']]).toEqual([other, 405, allow]);
      }
    });

    it('answers OPTIONS with the same list', async () => {
      verifies('http.path.options');
      const answer = await first(server.port, rawRequest('OPTIONS', target, lines));
      expect([answer.status, answer.headers['allow'], answer.body]).toEqual([204, allow, '']);
    });

    it('answers HEAD as GET, without the body', async () => {
      verifies('http.path.head');
      const named = [...lines, 'X-Request-Id: r'];
      const [head] = await exchange(server.port, rawRequest('HEAD', target, named), { head: true });
      const got = await first(server.port, rawRequest('GET', target, named));
      expect([head?.status, head?.headers['content-type']]).toEqual([
        got.status,
        got.headers['content-type'],
      ]);
      // Where a method is not allowed, its name is in the text; where time goes by, its digits are.
      if (got.status === 200 && target !== '/_svc/health')
        expect(head?.headers['content-length']).toBe(got.headers['content-length']);
    });
  });
});

describe('a socket route', () => {
  const good = `X-Api-Key: ${secretOf('good')}`;

  it.each(['GET', 'HEAD', 'POST', 'DELETE'])(
    'answers a plain %s 426 and offers the upgrade',
    async (method) => {
      verifies('http.status.426');
      const { port } = await listen(application());
      const [answer] = await exchange(port, rawRequest(method, '/feed', ['Connection: close', good]), {
        head: method === 'HEAD',
      });
      expect([answer?.status, answer?.headers['upgrade'], answer?.headers['connection']]).toEqual([
        426,
        'websocket',
        'close, upgrade',
      ]);
    },
  );
});

/** Faults of a handshake, in their order. */
const upgradeFaults = {
  'two hosts': [400, 'a request needs one Host header'],
  'malformed host': [400, /Host/],
  'foreign origin': faultsOutside['foreign origin'],
  'unknown path': [404, 'nothing is served at this path'],
  'wrong credential': [401, 'the credential is not valid'],
  'used up rate': [429, 'the rate limit is exceeded'],
  'no credential': [401, 'authentication is needed for scope "things"'],
  'no scope': [403, 'missing scope "things"'],
  'broken query': [400, 'the query is not valid percent-encoding'],
  invalid: [422, /n must be integer|\/n/],
} as const satisfies Partial<Record<Fault, Answer>>;

/** A handshake for `/feed` that has these faults and no others. */
function faultyHandshake(faults: readonly Fault[], keyAs: 'header' | 'query'): string {
  const has = (fault: Fault): boolean => faults.includes(fault);
  const key = keyFor(has);
  const query = [
    ...(key !== undefined && keyAs === 'query' ? [`access_token=${key}`] : []),
    ...(has('broken query') ? ['a=%zz'] : []),
    ...(has('invalid') ? ['n=x'] : []),
  ];
  return rawRequest('GET', `${has('unknown path') ? '/nothing' : '/feed'}?${query.join('&')}`, [
    `Host: ${has('malformed host') ? 'local host' : 'localhost'}`,
    ...(has('two hosts') ? ['Host: localhost'] : []),
    ...(has('foreign origin') ? [`Origin: ${evilOrigin}`] : []),
    ...(key !== undefined && keyAs === 'header' ? [`X-Api-Key: ${key}`] : []),
    ...handshakeLines,
  ]);
}

describe('a handshake below the control prefix', () => {
  const targets = ['/_svc/feed', '/_svc/feed?n=x', '/_svc/nothing', '/_svc/routes', '/_svc/%zz', '/_svc'];

  it.each([
    ['without a credential', [], 401],
    ['with a wrong one', ['X-Api-Key: wrong'], 401],
    ['without authority', [`X-Api-Key: ${secretOf('poor')}`], 403],
  ])('%s reads the same whatever is asked for', async (_who, lines, status) => {
    verifies('http.order.control-first');
    const { port } = await listen(application());
    const answers: RawAnswer[] = [];
    for (const target of targets)
      answers.push(
        await first(port, rawRequest('GET', target, [...handshakeLines, ...lines, 'X-Request-Id: r'])),
      );
    expect(answers.map((answer) => answer.status)).toEqual(targets.map(() => status));
    const told = answers.map(comparable);
    expect(told).toEqual(told.map(() => told[0]));
  });

  it('comes after Host and origin', async () => {
    const { port } = await listen(application());
    const ask = async (...lines: readonly string[]): Promise<unknown> =>
      detailOf(await first(port, rawRequest('GET', '/_svc/feed', [...handshakeLines, ...lines])));
    expect(await ask('Host: evil.example')).toBe(faultsInside['foreign host'][1]);
    expect(await ask(`Origin: ${evilOrigin}`)).toBe(faultsInside['foreign origin'][1]);
  });
});

describe.each(['header', 'query'] as const)(
  'the one order, for a handshake with the key in its %s',
  (keyAs) => {
    const faults = Object.keys(upgradeFaults) as (keyof typeof upgradeFaults)[];
    // Without a credential in a header one is looked for in the query, which has to be readable for that.
    const pairs = pairsOf(faults).filter(
      (pair) => !pair.includes('broken query') || (keyAs === 'header' && !pair.includes('no credential')),
    );
    let server: RunningApplication;
    beforeAll(async () => {
      server = await application({ failureLimit: { perSecond: 1e-6, burst: 1e6 } })
        .rateLimit(1e-6, { burst })
        .listen();
      for (const name of ['hasty', 'hasty-admin'] as const) await useUp(server.port, name);
    });
    afterAll(() => server.close());

    it('opens a socket that has no fault', async () => {
      const client = await rawClient(server.port);
      client.send(faultyHandshake([], keyAs));
      const [answer] = await client.until(1);
      client.socket.destroy();
      expect(answer?.status).toBe(101);
      expect(answer?.headers['x-content-type-options']).toBe('nosniff');
    });

    it.each(pairs)('answers "%s" before "%s", as a problem, and closes', async (earlier, later) => {
      verifies('http.browser.upgrade', 'auth.upgrade.authenticated');
      const [status, detail] = upgradeFaults[earlier as keyof typeof upgradeFaults];
      const answer = await first(server.port, faultyHandshake([earlier, later], keyAs));
      expect([answer.status, detailOf(answer)]).toEqual([
        status,
        typeof detail === 'string' ? detail : expect.stringMatching(detail),
      ]);
      expect(answer.headers).toMatchObject({
        connection: 'close',
        'content-type': 'application/problem+json',
        'x-content-type-options': 'nosniff',
      });
    });

    it('of another route than a socket is 400, and of another method too', async () => {
      const lines = [...handshakeLines, `X-Api-Key: ${secretOf('good')}`];
      expect((await first(server.port, rawRequest('GET', '/open', lines))).status).toBe(400);
      expect((await first(server.port, rawRequest('POST', '/feed', lines))).status).toBe(400);
    });
  },
);
