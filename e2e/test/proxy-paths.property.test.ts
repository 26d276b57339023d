import { byTier, verifies } from '@waymark/contract/testing';
import { createProxies, proxy, upstream } from '@waymark/pages';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawUpstream, serveProxies } from './proxy-upstreams.ts';
import { rawClient, rawRequest } from './raw-client.ts';
import { application, serve } from './served.ts';

const numRuns = byTier({ quick: 300, slow: 400, drill: 3_000 });

/** Sends request targets byte by byte, and tells what of each arrived at the upstream: its target, or the status instead. */
async function forwarding() {
  const arrived: string[] = [];
  const { url } = await rawUpstream((socket) => {
    socket.on('data', (chunk: Buffer) => {
      arrived.push(chunk.toString('latin1').split(' ')[1] ?? '');
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  const { port } = await serveProxies(`${url}/base`, [
    proxy('GET', '/up/{rest*}', 'desk'),
    proxy('GET', '/one/{id}/x', 'desk'),
    proxy('GET', '/to/{rest*}', 'desk', { rewrite: '/v1/{rest*}' }),
    proxy('GET', '/as/{rest*}', 'desk', { rewrite: '/v1/{rest}/x' }),
    proxy('GET', '/swap/{a}/{b}', 'desk', { rewrite: '/{b}/{a}' }),
    proxy('GET', '/count/{n}', 'desk', { input: { n: { type: 'number' } } }),
    proxy('GET', '/ä@b/{id}', 'desk'),
  ]);
  const askInTurn = async (targets: readonly string[]): Promise<readonly (string | number)[]> => {
    const client = await rawClient(port);
    onTestFinished(() => void client.socket.destroy());
    const got: (string | number)[] = [];
    for (const target of targets) {
      arrived.length = 0;
      client.send(rawRequest('GET', target));
      const { status } = (await client.until(got.length + 1)).at(-1) ?? { status: 0 };
      got.push(status === 204 && arrived.length === 1 ? (arrived[0] ?? '') : status);
    }
    client.socket.destroy();
    return got;
  };
  return async (targets: readonly string[]): Promise<readonly (string | number)[]> => {
    const got: (string | number)[] = [];
    // All answers of a connection are read anew with each.
    for (let i = 0; i < targets.length; i += 50) got.push(...(await askInTurn(targets.slice(i, i + 50))));
    return got;
  };
}

/** Whatever means the same to some servers and not to others, and what is spelt in more than one way. */
const spellings = [
  'v1/x:gen;v=1,a@c',
  "a!b$c&d'e(f)g*h+i,j;k=l:m@n",
  'a%21b%24c%26d%27e%28f%29g%2Ah%2Bi%2Cj%3Bk%3Dl%3Am%40n',
  'a%2ab%2bc%2cd%3ae',
  'x[0]',
  'x%5B0%5d',
  'a-b.c_d~e',
  'a%2Db%2ec%5Fd%7Ee',
  'a%20b+c',
  '%61%62c',
  '%c3%a4%C3%A4',
  'a%2Fb%2fc',
  'a%5cb',
  'a%3Fb%23c',
  '100%25',
  'a%252525b',
  ':',
  '...',
  '2026-11-23T10:00:00+01:00',
];

/** What no URL may hold arrives encoded. */
const illegal: Readonly<Record<string, string>> = {
  '"': '%22',
  '<': '%3C',
  '>': '%3E',
  '\\': '%5C',
  '^': '%5E',
  '`': '%60',
  '{': '%7B',
  '|': '%7C',
  '}': '%7D',
};
const legal = (text: string): string => text.replace(/["<>\\^`{|}]/g, (one) => illegal[one] ?? '');

describe('the path that an upstream is asked for', () => {
  it('is spelt as the caller spelt it, rewritten or not', async () => {
    verifies('proxy.spelling', 'proxy.path-values');
    const ask = await forwarding();
    expect(await ask(spellings.map((text) => `/up/${text}`))).toEqual(
      spellings.map((text) => `/base/up/${text}`),
    );
    expect(await ask(spellings.map((text) => `/to/${text}`))).toEqual(
      spellings.map((text) => `/base/v1/${text}`),
    );
    const segments = spellings.map((text) => text.replaceAll('/', '-'));
    expect(await ask(segments.map((text) => `/one/${text}/x`))).toEqual(
      segments.map((text) => `/base/one/${text}/x`),
    );
    expect(await ask(segments.map((text) => `/swap/${text}/!%21`))).toEqual(
      segments.map((text) => `/base/!%21/${text}`),
    );
  });

  it.each([
    ['/u%70/a', '/base/u%70/a'],
    ['/%c3%a4@b/x:y', '/base/%c3%a4@b/x:y'],
    ['/up/', '/base/up/'],
    ['/up//a//', '/base/up//a//'],
    ['/up/;a/b', '/base/up/;a/b'],
    ['/to/a?b=c:d', '/base/v1/a?b=c%3Ad'],
    // A rest that is one segment keeps all but its slashes.
    ['/as/g:1/p%2Fq', '/base/v1/g:1%2Fp%2Fq/x'],
    // What was made another value is written as that.
    ['/count/7', '/base/count/7'],
    ['/count/%37', '/base/count/%37'],
    ['/count/1.50', '/base/count/1.5'],
    ['/up/a"<>\\^`{|}:', '/base/up/a%22%3C%3E%5C%5E%60%7B%7C%7D:'],
    // Read with its parameters taken off, the segment would be gone.
    ['/one/;a=1/x', 422],
    ['/as/;a', 422],
    ['/one/%3Ba=1/x', '/base/one/%3Ba=1/x'],
    ['/up/..;a=1/x', 422],
    ['/up/..%3Ba/x', 422],
    ['/up/a/.%2e', 422],
    ['/up/..\\x', 422],
    ['/up/%252e%252E/x', 422],
    ['/up/a%2f..%2fb', 422],
    ['/up/a%zz', 400],
    ['/up/a%00', 400],
    ['/up/a%C0%AE', 400],
  ])('of %s is %s', async (sent, got) => {
    verifies('proxy.spelling', 'proxy.path-values');
    const ask = await forwarding();
    expect(await ask([sent])).toEqual([got]);
  });

  it('is the same behind middleware', async () => {
    verifies('proxy.spelling');
    const targets: string[] = [];
    const { url } = await rawUpstream((socket) => {
      socket.on('data', (chunk: Buffer) => {
        targets.push(chunk.toString('latin1').split(' ')[1] ?? '');
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const app = application();
    app.use((_req, _res, next) => next());
    app.add(createProxies([upstream('desk', `${url}/base`), proxy('GET', '/u/{rest*}', 'desk')]));
    const { port } = await serve(app);
    const client = await rawClient(port);
    onTestFinished(() => void client.socket.destroy());
    client.send(rawRequest('GET', '/u/x:y%3a;v=1,%2f'));
    await client.until(1);
    expect(targets).toEqual(['/base/u/x:y%3a;v=1,%2f']);
  });

  it('is what was sent, whatever it is, as long as nothing climbs', { timeout: 120_000 }, async () => {
    verifies('proxy.spelling');
    const ask = await forwarding();
    const harmless = fc
      .array(
        fc.oneof(
          fc.constantFrom(...spellings, '/', '//', '%2f', '"', '<', '\\', '^', '|', '{x}'),
          fc.constantFrom(...Array.from("abcXYZ019-_~!$&'()*+,;=:@[]")),
          fc.string({ unit: 'grapheme', maxLength: 3 }).map(encodeURIComponent),
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('').replace(/\.|%2e|%(?:[01][0-9a-f]|7f)/gi, ''));
    const texts = fc.sample(harmless, numRuns);
    expect(await ask(texts.map((text) => `/up/${text}`))).toEqual(
      texts.map((text) => `/base/up/${legal(text)}`),
    );
  });

  it('is what was sent or nothing, and leads nowhere else', { timeout: 120_000 }, async () => {
    verifies('proxy.spelling', 'proxy.path-values');
    const ask = await forwarding();
    const nasty = fc
      .array(
        fc.constantFrom(
          ...['.', '..', '%2e', '%2E', '%252e', '/', '%2f', '%252F', '\\', '%5c', '%255C', ';', '%3b', '%00'],
          ...['a', ':', '@', '%', '%25', '%c3', '%a4', '%0d%0a', '"', '[', '+', '~'],
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((parts) => parts.join(''));
    const texts = fc.sample(nasty, numRuns);
    for (const [from, to] of [
      ['/up/', '/base/up/'],
      ['/to/', '/base/v1/'],
    ] as const) {
      const got = await ask(texts.map((text) => from + text));
      const passed = texts.flatMap((text, i) =>
        typeof got[i] === 'string' ? [[text, got[i]] as const] : [],
      );
      expect(passed.map(([, target]) => target)).toEqual(passed.map(([text]) => to + legal(text)));
      expect(got.filter((one) => typeof one === 'number' && one !== 400 && one !== 422)).toEqual([]);
      expect(passed.length).toBeGreaterThan(numRuns / 20);
      for (const [, target] of passed) expect(climbs(target), target).toBe(false);
    }
  });
});

/** Whether somebody who decodes a path any number of times, and takes off the parameters of its segments, finds a dot segment. */
function climbs(target: string): boolean {
  let text = target;
  for (let i = 0; i < 5; i++) {
    const segments = text.split(/[/\\]/).map((one) => one.replace(/;.*/s, ''));
    if (segments.some((one) => one === '.' || one === '..')) return true;
    text = text.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return false;
}
