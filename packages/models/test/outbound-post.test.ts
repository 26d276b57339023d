import { HTTPError } from '@waymark/contract';
import type { Outbound, OutboundRequest } from '@waymark/contract/http';
import type { ModelError } from '@waymark/contract/models';
import { describe, expect, it } from 'vitest';
import { openDesk, textOf } from './desk.ts';

/** An outbound client over `fetch`, as far as models need one. */
const overFetch: Outbound = {
  async request({ url, method, headers = {}, body, signal }) {
    const answer = await fetch(url, { method, headers, body: Buffer.from(body as Uint8Array), signal });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answer.body! };
  },
};

function failing(status: number): Outbound {
  return {
    request: async () => {
      throw new HTTPError(status, 'http://host said no');
    },
  };
}

describe('outboundPost', () => {
  it.each([1000, 16000])('asks by the outbound client, for %d tokens', async (maxTokens) => {
    const desk = await openDesk({ outbound: overFetch });
    const reply = await desk.ask({ maxTokens, text: '[[error 503 times=1]] [[say hello]]' });
    expect([textOf(reply), desk.simulator.requests.length]).toEqual(['hello', 2]);
  });

  it('goes to declared addresses alone, with the limits of models', async () => {
    const asked: OutboundRequest[] = [];
    const outbound: Outbound = {
      request(request) {
        asked.push(request);
        return overFetch.request(request);
      },
    };
    const limits = { maxReplyBytes: 5000, timeoutMs: 4000, idleTimeoutMs: 3000 };
    const desk = await openDesk({ outbound, ...limits });
    await desk.ask({ text: 'hi' });
    expect(asked).toMatchObject([
      { method: 'POST', allow: 'declared', maxBytes: 5001, timeoutMs: 4000, idleTimeoutMs: 3000 },
    ]);
  });

  it('frees the connection of an answer that is too long, and of one that nobody wants any more', async () => {
    const desk = await openDesk({ outbound: overFetch, maxReplyBytes: 1000 });
    const long = await desk
      .ask({ maxTokens: 100_000, text: '[[pace 5]] [[size 100000]]' })
      .catch((error: ModelError) => error);
    expect(long).toMatchObject({ reason: 'malformed_reply' });
    const controller = new AbortController();
    const asked = desk
      .ask({ text: '[[hang]]' }, { signal: controller.signal })
      .catch((error: ModelError) => error);
    await expect.poll(() => desk.simulator.requests.length).toBe(2);
    controller.abort();
    expect(await asked).toMatchObject({ reason: 'aborted' });
    await expect
      .poll(() => desk.simulator.requests.map(({ outcome }) => outcome))
      .toEqual(['aborted', 'aborted']);
  });

  it.each([
    [502, 'unavailable', 'the connection to provider "anthropic" failed, asked 3 times', 502],
    [504, 'timeout', 'provider "anthropic" took too long to answer, asked 3 times', 504],
    [403, 'unavailable', 'the address of provider "anthropic" may not be reached', 502],
  ])('a %d of the client is %s', async (status, reason, message, answered) => {
    const desk = await openDesk({ outbound: failing(status) });
    const error = await desk.ask({ text: 'hi' }).catch((thrown: ModelError) => thrown);
    expect(error).toMatchObject({ reason, message, status: answered, cause: { cause: { status } } });
  });
});
