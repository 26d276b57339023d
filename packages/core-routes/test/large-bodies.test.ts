import { Type } from '@waymark/contract';
import type { BodySource } from '@waymark/contract/engine';
import { describe, expect, it } from 'vitest';
import { answerOf, bytesBody, detailOf, route, serve } from './kit.ts';

const mebibyte = 1_048_576;

/** A large body of its own, and what is seen of its memory. */
function largeBody(
  member: string,
  exclusive = true,
): { readonly body: BodySource; readonly bytes: Uint8Array } {
  const bytes = new TextEncoder().encode(JSON.stringify({ [member]: 'x'.repeat(2 * mebibyte) }));
  const whole = new Uint8Array(bytes);
  return { body: { ...bytesBody(whole, 'application/json'), exclusive }, bytes: whole };
}

const served = serve([
  route(
    'POST',
    '/x',
    { input: { text: Type.String() }, maxBodyBytes: 4 * mebibyte },
    ({ input, request }) => ({
      length: (input['text'] as string).length,
      bytes: request.body.length,
    }),
  ),
  route('POST', '/fails', { input: { text: Type.String() }, maxBodyBytes: 4 * mebibyte }, ({ request }) => {
    void request.body;
    throw new Error('a bug');
  }),
]);

describe('large bodies', () => {
  it('are read as others are, their bytes, too', async () => {
    const { body } = largeBody('text');
    expect(answerOf(await served.request('POST', '/x', { body }))).toEqual({
      length: 2 * mebibyte,
      bytes: 2 * mebibyte + 11,
    });
  });

  it('are refused as others are, and their memory is given back at once', async () => {
    const { body, bytes } = largeBody('other');
    const answer = await served.request('POST', '/x', { body });
    expect([answer.status, detailOf(answer)]).toEqual([422, '/text is required; /other is not known']);
    expect(bytes.length).toBe(0);
  });

  it('stay as they are where somebody else may keep them', async () => {
    const { body, bytes } = largeBody('other', false);
    expect((await served.request('POST', '/x', { body })).status).toBe(422);
    expect(bytes.length).toBeGreaterThan(2 * mebibyte);
  });

  it('stay as they are once a handler had them, whatever becomes of it', async () => {
    const { body, bytes } = largeBody('text');
    expect((await served.request('POST', '/fails', { body })).status).toBe(500);
    expect(bytes.length).toBeGreaterThan(2 * mebibyte);
  });

  it('are not parsed any more when their client has gone', async () => {
    const gone = new AbortController();
    const { body, bytes } = largeBody('text');
    const answer = served.request('POST', '/x', { body, call: { signal: gone.signal } });
    gone.abort(new DOMException('the client went away', 'AbortError'));
    expect((await answer).status).toBe(503);
    expect(bytes.length).toBe(0);
  });
});
