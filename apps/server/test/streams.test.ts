import { setTimeout as pause } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { application, ask, secret, serve } from './serve.ts';

/** Pieces of text, each after a pause. */
async function* pieces(texts: readonly string[], pauseMs: number): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await pause(pauseMs);
    yield new TextEncoder().encode(text);
  }
}

describe('a handler that returns a stream', () => {
  it('is answered as it comes, however long that takes in all', async () => {
    verifies('face.result.stream', 'http.timeout.stream');
    const app = application({ requestTimeout: 0.4 }).get('/slow', {}, () =>
      ReadableStream.from(pieces(['a', 'b', 'c', 'd', 'e'], 150)),
    );
    const { url } = await serve(app);
    const response = await fetch(`${url}/slow`);
    expect([response.status, await response.text()]).toEqual([200, 'abcde']);
  });

  it('is cut when it pauses for longer than a request may take, and told so', async () => {
    verifies('http.timeout.stream');
    let cancelled: unknown;
    const app = application({ requestTimeout: 0.2 }).get('/stuck', {}, () => {
      const sent = new TextEncoder().encode('one');
      return new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(sent),
        pull: () => new Promise(() => {}),
        cancel: (reason) => {
          cancelled = reason;
        },
      });
    });
    const { url } = await serve(app);
    const response = await fetch(`${url}/stuck`);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(cancelled).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a wrong credential', () => {
  it('is an audit event, which never holds the credential or the query', async () => {
    verifies('audit.kind.auth-refused', 'face.methods.letter');
    const app = application()
      .apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] })
      .anonymousScopes()
      .cors(['https://app.example'])
      .rateLimit(1000, { burst: 1000 })
      .securityHeaders({})
      .get('/maps', {}, () => 'maps');
    expect(typeof app.jwt).toBe('function');
    const { url } = await serve(app);
    expect((await ask(`${url}/maps?token=hush`, { key: 'not-the-key-of-anybody' })).status).toBe(401);
    expect((await ask(`${url}/maps`)).status).toBe(200);
    // Events are written in batches of at most 100 ms.
    await expect
      .poll(async () => (await ask(`${url}/_svc/audit?kind=auth_refused`, { key: secret })).body)
      .toMatchObject({
        events: [{ kind: 'auth_refused', via: 'http', path: '/maps', client_address: '127.0.0.1' }],
      });
    const { body } = await ask(`${url}/_svc/audit`, { key: secret });
    expect(JSON.stringify(body)).not.toMatch(/hush|not-the-key/);
  });
});
