import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { HTTPError, type RunningApplication } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application, secrets, serve } from './served.ts';
import { ask, postForm, signIn, type Told } from './session-client.ts';

/** As browsers write it that go somewhere. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const markup = `<img src=x onerror=alert(1)>"'&`;
/** Nobody sees them, or they turn around what stands behind. */
const unseen = '\u202e\u200b\u200f\u061c\u00ad\u3164\u{e0041}';

describe('what a browser is shown', () => {
  const folder = mkdtempSync(join(tmpdir(), 'face-'));
  let at: RunningApplication;
  beforeAll(async () => {
    writeFileSync(
      join(folder, 'me.hbs'),
      '<p>{{#if user.authenticated}}{{user.id}}{{else}}nobody{{/if}}</p>',
    );
    const app = application({
      ...{ templates: folder, description: 'Sells <i>things</i>.', version: '3.2.1' },
      failureLimit: { perSecond: 1e6, burst: 1e6 },
    });
    app.apiKey('SHOP_KEY', 'operator', { scopes: ['svc:admin', 'shop:read'] });
    app.apiKey('OTHER_KEY', 'reader');
    app.page('/me', 'me', { data: {} });
    app.page('/secret', 'me', { data: {}, scopes: ['shop:read'] });
    app.get('/inside', { scopes: ['shop:read'] }, () => 1);
    app.get('/broken', {}, () => {
      throw new Error('of a database with a password');
    });
    app.get('/gone', {}, () => {
      throw new HTTPError(410, `${markup}${unseen}`);
    });
    app.post('/form', { input: { n: { type: 'integer' } } }, () => 1);
    at = await app.listen();
  });
  afterAll(async () => {
    await at.close();
    rmSync(folder, { recursive: true });
  });

  const look = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Told> =>
    ask(at, path, { headers: { accept: browser, ...headers } });

  it.each([
    ['/inside', 401, 'Please sign in'],
    ['/_svc/routes', 401, 'Please sign in'],
    ['/nope', 404, 'There is nothing here'],
    ['/broken', 500, 'Something went wrong'],
    ['/gone', 410, 'Gone'],
    ['POST /inside', 405, 'That cannot be done here'],
    ['POST /form', 422, 'Something is not right yet'],
    ['/%', 400, 'That was not understood'],
  ])('is a page in place of a problem: %s', async (target, status, title) => {
    verifies('face.html.errors', 'face.html.without-scripts');
    const json = target === 'POST /form' ? { 'content-type': 'application/json' } : {};
    const told = await look(target, json);
    expect([told.status, told.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(told.text).toContain(`<h1>${title}</h1>`);
    expect(told.text).toContain(told.headers['x-request-id'] as string);
    expect(told.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept, Cookie' });
    expect(told.headers['content-security-policy']).toContain("default-src 'none'");
    expect(told.text).not.toMatch(/<script|style=|javascript:|a password/);
    const asked = await ask(at, target, { headers: json });
    for (const name of ['www-authenticate', 'allow']) expect(told.headers[name]).toBe(asked.headers[name]);
  });

  it.each(['/inside', '/nope', '/broken', '/gone', '/', '/_svc/routes'])(
    'is what it was for everybody else: %s',
    async (path) => {
      verifies('face.html.others', 'face.html.preferred');
      const headers = { 'x-request-id': 'the-same' };
      const plain = await ask(at, path, { headers });
      expect(plain.headers['content-type']).toBe('application/problem+json');
      expect(plain.headers['vary']).toBeUndefined();
      for (const accept of [
        '*/*',
        'application/json',
        'application/problem+json, text/html',
        'text/html;q=0.5, application/json',
        'text/html;q=0, */*',
        'text/event-stream',
        'image/avif,image/webp,*/*;q=0.8',
      ]) {
        const { date: _, ...others } = (await ask(at, path, { headers: { ...headers, accept } })).headers;
        const { date: __, ...before } = plain.headers;
        expect([accept, others]).toEqual([accept, before]);
      }
      expect((await ask(at, path, { headers: { ...headers, accept: 'application/json' } })).text).toBe(
        plain.text,
      );
    },
  );

  it('tells a HEAD the same without the page', async () => {
    const [got, head] = [await look('/nope'), await look('HEAD /nope')];
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });

  it('is nothing that somebody has sent, but as text', async () => {
    verifies('face.html.escaped');
    for (const told of [
      await look('/gone'),
      await look(`/nope?x=${encodeURIComponent(markup)}`),
      await look('/nope', { 'x-request-id': 'ok' }),
      await look(`/_svc/sign-in?to=${encodeURIComponent(`/x?${markup}`)}`),
      await postForm(at, '/_svc/session', { credential: markup, to: `/x?${markup}` }),
    ]) {
      expect(told.text).toContain('<!doctype html>');
      expect(told.text).not.toContain('<img');
      expect(told.text).not.toMatch(/="[^"<>]*"[^ >]/);
    }
  });

  it('hides nothing of what somebody has sent', async () => {
    verifies('face.html.escaped');
    const { text } = await look('/gone');
    expect(text).toContain('\\u202e\\u200b\\u200f\\u061c\\u00ad\\u3164\\u{e0041}');
    expect(text).not.toMatch(/[\p{Cf}\u3164]/u);
  });

  it('leads to the sign-in page, and that back to where one was', async () => {
    verifies('face.html.sign-in');
    const { text } = await look('/secret?a=1&b=2');
    const [, address = ''] = /href="(\/_svc\/sign-in\?to=[^"]+)"/.exec(text) ?? [];
    const page = await look(address);
    const [, to] = /name="to" value="([^"]*)"/.exec(page.text) ?? [];
    expect([page.status, to]).toEqual([200, '/secret?a=1&#38;b=2']);
    const back = await postForm(at, '/_svc/session', { credential: secrets.SHOP_KEY, to: '/secret?a=1&b=2' });
    expect(back.headers['location']).toBe('/secret?a=1&b=2');
    const wrong = await postForm(at, '/_svc/session', { credential: 'nobody', to: '/secret' });
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, expect.any(String)]);
    expect(wrong.text).toContain('This key or token is not known here.');
    expect(wrong.text).toContain('name="to" value="/secret"');
    // Who only sent something is not sent back to it.
    expect((await look('POST /secret')).text).not.toContain('to=');
  });

  it('knows who has signed in, and says to nobody else what is there for them', async () => {
    verifies('session.page.user', 'face.html.start');
    const cookie = await signIn(at, secrets.SHOP_KEY);
    expect([(await look('/me')).text, (await look('/me', { cookie })).text]).toEqual([
      '<p>nobody</p>',
      '<p>operator</p>',
    ]);
    const [start, own] = [await look('/'), await look('/', { cookie })];
    expect([start.status, own.status]).toEqual([200, 200]);
    for (const { text } of [start, own]) {
      expect(text).toContain('Sells &#60;i&#62;things&#60;/i&#62;.');
      expect(text).toContain('3.2.1');
      expect(text).toContain('href="/me"');
      // Nothing but pages.
      expect(text).not.toMatch(/inside|broken/);
    }
    // Those of the control plane for whom they have something to show.
    expect(start.text).not.toMatch(/docs|console/);
    expect(own.text).toContain('href="/_svc/docs"');
    expect(start.text).not.toContain('/secret');
    expect(own.text).toContain('href="/secret"');
    expect(own.text).toContain('Signed in as <b>operator</b>');
    const reader = await look('/secret', { cookie: await signIn(at, secrets.OTHER_KEY) });
    expect([reader.status, reader.text]).toEqual([403, expect.stringContaining('Sign in as somebody else')]);
  });

  it('is the page of the application where it has one for "/", and says nothing of signing in where nobody can', async () => {
    const app = application();
    app.get('/', {}, () => ({ mine: true }));
    const own = await serve(app);
    expect((await ask(own, '/', { headers: { accept: browser } })).text).toBe('{"mine":true}');
    const missing = await ask(own, '/nope', { headers: { accept: browser } });
    expect([missing.status, missing.text]).toEqual([404, expect.not.stringContaining('sign-in?')]);
    expect(missing.text).not.toContain('Sign in');
  });

  it('is found where a proxy in front has it', async () => {
    const app = application({ publicUrl: 'https://shop.example/app' });
    app.apiKey('SHOP_KEY', 'operator', { scopes: ['svc:admin'] });
    const behind = await serve(app);
    const { text } = await ask(behind, '/nope', { headers: { accept: browser } });
    expect(text).toContain('href="/app/_svc/sign-in?to=%2Fapp%2Fnope"');
    expect(text).toContain('href="/app/_svc/sign-in/style.css"');
    const signedIn = await postForm(behind, '/_svc/session', { credential: secrets.SHOP_KEY });
    expect(signedIn.headers['location']).toBe('/app/');
  });
});
