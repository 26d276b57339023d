import { decodeMessages, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JwtCase, jwtCases } from './corpora/jwt-corpus.ts';
import { type KeyVerdict, keyCases, operatorSecret, readerSecret } from './corpora/key-corpus.ts';
import { hs256, jwtSecret, rsa, ticketsSecret } from './corpora/sign.ts';
import { type Program, startProgram } from './program.ts';
import { ask, Connection, type Header, handshake, toBytes, type WireAnswer } from './wire/connection.ts';

let program: Program;
let port: number;
beforeAll(async () => {
  program = startProgram('e2e/test/programs/credential-desk.ts', {
    cwd: import.meta.dirname,
    env: {
      LOG_LEVEL: 'debug',
      OPERATOR_KEY: operatorSecret,
      READER_KEY: readerSecret,
      JWT_SECRET: jwtSecret,
      JWT_PEM: rsa.publicPem,
      TICKETS_SECRET: ticketsSecret,
    },
  });
  const [, found] = await program.saying(/url http:\/\/127\.0\.0\.1:(\d+)\n/);
  port = Number(found);
});
afterAll(async () => {
  program.child.kill('SIGTERM');
  await program.ended();
});

/** In every query that is sent, and in no log. */
const marker = 'query-marker-5d1f';

/** Every answer of this file as it came. */
const answers: string[] = [];

async function send(target: string, headers: readonly Header[], body?: object): Promise<WireAnswer> {
  const mark = target.includes('?') ? '&' : '?';
  const json: readonly Header[] = body ? [['content-type', 'application/json']] : [];
  const answer = await ask(port, {
    target: `${target}${mark}probe=${marker}`,
    headers: [...headers, ...json],
    ...(body && { body: JSON.stringify(body) }),
  });
  answers.push(answer.text);
  if (answer.status === 401) {
    expect(answer.headers.get('www-authenticate')).toMatch(
      /^(Bearer|ApiKey) realm="waymark"(, scope="[^"]+", resource_metadata="[^"]+")?$/,
    );
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  }
  return answer;
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Everywhere that a credential in headers can be shown, and what it gets there. */
async function showEverywhere(headers: readonly Header[]): Promise<Readonly<Record<string, number>>> {
  const looks = {
    public: send('/open', headers),
    scoped: send('/notes', headers),
    socket: send('/feed', [...handshake, ...headers]),
    control: send('/_svc/routes', headers),
    unknownControl: send('/_svc/nothing', headers),
    mcp: send('/_svc/mcp', headers, ping),
    unknown: send('/nowhere', headers),
    health: send('/_svc/health', headers),
  };
  const pairs = Object.entries(looks).map(async ([name, look]) => [name, (await look).status] as const);
  return Object.fromEntries(await Promise.all(pairs));
}

const reader = {
  ...{ public: 200, scoped: 200, socket: 101, unknown: 404, health: 200 },
  ...{ control: 403, unknownControl: 403, mcp: 403 },
};
const operator = { ...reader, control: 200, unknownControl: 404, mcp: 200 };
const nobody = {
  ...{ public: 401, scoped: 401, socket: 401, unknown: 404, health: 200 },
  ...{ control: 401, unknownControl: 401, mcp: 401 },
};
const everywhere = (status: number): object =>
  Object.fromEntries(Object.keys(reader).map((name) => [name, status]));

function expected(verdict: KeyVerdict | JwtCase[2]): object {
  if (verdict === 'operator') return operator;
  if (verdict === 'reader' || verdict === 'granted') return reader;
  if (verdict === 401 || verdict === 'refused' || verdict === 'expired') return nobody;
  // Not a request at all, so health does not answer either.
  return everywhere(verdict === 400 ? 400 : 431);
}

describe('an API key', () => {
  it.each(keyCases)('%s', async (_form, headers, verdict) => {
    verifies(
      'auth.api-key.header',
      'authority.wrong-credential',
      'authority.wrong-credential.health',
      'http.order.authenticate',
      'http.header.two-keys',
      'http.status.401',
    );
    expect(await showEverywhere(headers)).toEqual(expected(verdict));
    if (verdict !== 'operator' && verdict !== 'reader') return;
    expect(JSON.parse((await send('/open', headers)).body)).toEqual({ id: verdict, authenticated: true });
  });

  it('stands in a corpus of no fewer than eleven forms', () => expect(keyCases.length).toBeGreaterThan(10));
});

describe('a JSON Web Token', () => {
  it.each(jwtCases)('%s', async (_form, token, verdict) => {
    verifies('authority.jwt.bearer', 'authority.jwt.pinned', 'authority.wrong-credential', 'http.status.401');
    const headers: readonly Header[] = [['authorization', `Bearer ${token}`]];
    expect(await showEverywhere(headers)).toEqual(expected(verdict));
    const { body } = await send('/open', headers);
    if (verdict === 'refused') expect(body).toContain('"detail":"the credential is not valid"');
    if (verdict === 'expired') expect(body).toContain('"detail":"the token has expired"');
    if (verdict === 'granted') expect(JSON.parse(body)).toEqual({ id: 'ada', authenticated: true });
  });

  it('stands in a corpus of no fewer than 37 forms', () => expect(jwtCases.length).toBeGreaterThan(36));
});

/** Credentials as `access_token`. Spaces are sent, not trimmed; a list is no list here. */
const queryCases: readonly (readonly [form: string, token: string, upgrade: 101 | 401 | 431])[] = [
  ['a key', readerSecret, 101],
  ['another key', operatorSecret, 101],
  ['a wrong key', `${readerSecret}x`, 401],
  ['a key with a space after', `${readerSecret} `, 401],
  ['a key with a line break after', `${readerSecret}\n`, 401],
  ['a key with NUL after', `${readerSecret}\u0000`, 401],
  ['a key as bearer', `Bearer ${readerSecret}`, 401],
  ['two keys in a list', `${readerSecret}, ${readerSecret}`, 401],
  ...jwtCases.map(([form, token, verdict]) => {
    const status = verdict === 'granted' ? 101 : verdict === 'oversized' ? 431 : 401;
    return [`a token ${form}`, token, status] as const;
  }),
];

describe.each(queryCases)('access_token: %s', (_form, token, upgrade) => {
  const query = `access_token=${encodeURIComponent(token)}`;

  it(`is ${upgrade} on an upgrade`, async () => {
    verifies('auth.upgrade.access-token', 'authority.access-token.either', 'auth.upgrade.authenticated');
    expect((await send(`/feed?${query}`, handshake)).status).toBe(upgrade);
  });

  it('counts for nothing on an ordinary request', async () => {
    verifies('auth.upgrade.only-upgrades');
    const open = await send(`/open?${query}`, []);
    const status = [
      open.status,
      (await send(`/notes?${query}`, [])).status,
      (await send(`/_svc/routes?${query}`, [])).status,
      (await send(`/_svc/mcp?${query}`, [], ping)).status,
    ];
    expect(status).toEqual(upgrade === 431 ? [431, 431, 431, 431] : [200, 401, 401, 401]);
    if (upgrade !== 431) expect(JSON.parse(open.body)).toEqual({ id: 'anonymous', authenticated: false });
  });
});

/** Opens a WebSocket and reads the first thing it says. */
async function firstMessage(target: string, headers: readonly Header[] = []): Promise<unknown> {
  const connection = await Connection.open(port);
  try {
    connection.send(toBytes({ target, headers: [...handshake, ...headers] }));
    const answer = await connection.next();
    if (answer?.status !== 101) return answer?.status;
    const [message] = decodeMessages(await connection.rest());
    return JSON.parse(String(message));
  } finally {
    connection.close();
  }
}

describe('access_token beside other things', () => {
  const good: Header = ['x-api-key', operatorSecret];
  const wrong: Header = ['x-api-key', 'wrong-key-of-24-letters'];

  it('counts only when no header carries a credential', async () => {
    verifies('auth.upgrade.header-first');
    const asReader = `/feed?access_token=${readerSecret}`;
    expect(await firstMessage(asReader)).toMatchObject({ id: 'reader' });
    expect(await firstMessage(asReader, [good])).toMatchObject({ id: 'operator' });
    expect(await firstMessage(asReader, [['authorization', `Bearer ${hs256()}`]])).toMatchObject({
      id: 'ada',
    });
    expect(await firstMessage(asReader, [wrong])).toBe(401);
    expect(await firstMessage(asReader, [['authorization', 'Bearer wrong-token-of-letters']])).toBe(401);
    expect(await firstMessage(asReader, [['x-api-key', '']])).toBe(401);
    expect(await firstMessage('/feed?access_token=wrong', [good])).toMatchObject({ id: 'operator' });
  });

  it('is gone from what the handler sees, and nothing else is', async () => {
    verifies('authority.access-token.removed');
    expect(await firstMessage(`/feed?a=1&access_token=${readerSecret}&b=2`)).toEqual({
      id: 'reader',
      query: { a: '1', b: '2' },
    });
    expect(await firstMessage(`/feed?access%5Ftoken=${readerSecret}&b=2`)).toEqual({
      id: 'reader',
      query: { b: '2' },
    });
    expect(await firstMessage(`/feed?access_token=${readerSecret}&a=1`, [good])).toEqual({
      id: 'operator',
      query: { a: '1' },
    });
    // This route refuses names it does not know.
    expect(await firstMessage(`/strict?frames=meta&access_token=${readerSecret}`)).toEqual({
      frames: 'meta',
    });
    expect(await firstMessage('/strict?frames=meta&access_tokens=1')).toBe(422);
  });

  it('is refused twice, empty, and under another name', async () => {
    verifies('auth.upgrade.access-token');
    expect(await firstMessage(`/feed?access_token=${readerSecret}&access_token=${readerSecret}`)).toBe(401);
    expect(await firstMessage('/feed?access_token=')).toBe(401);
    expect(await firstMessage('/feed?access_token')).toBe(401);
    expect(await firstMessage(`/feed?Access_Token=${readerSecret}`)).toBe(401);
    expect(await firstMessage(`/feed?x-api-key=${readerSecret}`)).toBe(401);
    expect(await firstMessage('/feed')).toBe(401);
  });
});

describe('after all of this', () => {
  it('no answer, listing, log line or audit event shows a secret, a token or a query', async () => {
    verifies('auth.upgrade.never-logged', 'http.log.no-query', 'http.problem.nothing-leaks');
    const key: readonly Header[] = [['x-api-key', operatorSecret]];
    const bearer: readonly Header[] = [['authorization', `Bearer ${hs256()}`]];
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'notes', arguments: {} } };
    await send('/_svc/mcp', key, call);
    for (const shown of [key, bearer]) {
      expect((await send('/boom', shown)).status).toBe(500);
      expect((await send('/echo', shown, { text: 'no number' })).status).toBe(422);
    }
    for (const name of ['health', 'openapi.json', 'tools', 'routes', 'security'])
      expect((await send(`/_svc/${name}`, key)).status).toBe(200);
    // The audit log refuses names it does not know, the marker among them.
    expect((await send('/_svc/audit', key)).status).toBe(422);
    // Events are written within 100 ms.
    await expect
      .poll(async () => (await ask(port, { target: '/_svc/audit', headers: key })).body)
      .toContain('"via":"mcp"');
    answers.push((await ask(port, { target: '/_svc/audit?limit=1000', headers: key })).text);

    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
    const log = program.stdout() + program.stderr();
    const lines = log.split('\n').filter((line) => line.startsWith('{'));
    // The log is complete, and says what it should.
    expect(lines.length).toBeGreaterThanOrEqual(answers.length);
    expect(log).toContain('the cause of the boom');
    expect(log).toContain('"principal":"ada"');

    const said = [log, ...answers].join('\n');
    const shown = [...new Set(needles())].filter((needle) => said.includes(needle));
    expect(shown).toEqual([]);
  });
});

/** What must be found nowhere: every stretch of ten letters of a secret, and both ends of each part of a token. */
function needles(): readonly string[] {
  const secrets = [operatorSecret, readerSecret, jwtSecret, ticketsSecret];
  const windows = secrets.flatMap((secret) =>
    Array.from({ length: secret.length - 9 }, (_, i) => secret.slice(i, i + 10)),
  );
  const tokens = [...jwtCases.map(([, token]) => token), hs256()];
  const inHeaders = keyCases.flatMap(([, headers]) => headers.map(([, value]) => value));
  const ends = [...tokens, ...inHeaders]
    .flatMap((text) => text.split(/[.\s,]+/))
    .filter((part) => part.length >= 16)
    .flatMap((part) => [part.slice(0, 16), part.slice(-16)]);
  const pem = rsa.publicPem.split('\n').filter((line) => line.length >= 16);
  return [...windows, ...ends, ...pem, marker, 'access_token='];
}
