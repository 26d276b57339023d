import { HTTPError } from '@waymark/contract';
import type { Outbound, OutboundRequest, OutboundResponse } from '@waymark/contract/http';
import { verifies } from '@waymark/contract/testing';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../src/sender/attempt-result.ts';
import { sendDelivery } from '../../src/sender/send-delivery.ts';

const secret = (letter: string): string => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`;
const variables: Readonly<Record<string, string>> = {
  SECRET: secret('a'),
  ROTATED: `${secret('b')},${secret('a')}`,
  BROKEN: 'whsec_%%%',
  EMPTY: '',
  TOKEN: 'hush',
};
const delivery = { id: 'msg_1', endpoint: 'desk', body: { type: 'insight', output: 'Jemand läutet 🔔' } };
const url = 'https://desk.example/hook?token=hush';

/** Sends a delivery to a client that takes down the request. */
async function send(
  variables_: { readonly secretEnv?: string; readonly bearerEnv?: string },
  {
    answer = { status: 200 },
    sent = delivery,
  }: { answer?: Partial<OutboundResponse> | Error; sent?: typeof delivery } = {},
): Promise<{ readonly result: AttemptResult; readonly request: OutboundRequest | undefined }> {
  let request: OutboundRequest | undefined;
  const outbound: Outbound = {
    async request(given) {
      request = given;
      if (answer instanceof Error) throw answer;
      return { status: 200, headers: {}, body: new Blob([]).stream(), ...answer };
    },
  };
  const parts = { outbound, env: (name: string) => variables[name], now: Date.now };
  const result = await sendDelivery(
    sent,
    { name: 'desk', url, ...variables_ },
    parts,
    new AbortController().signal,
  );
  return { result, request };
}

/** What a receiver makes of it that was written with the library of Standard Webhooks. */
function receive(request: OutboundRequest | undefined, withSecret: string): unknown {
  const text = Buffer.from(request?.body as Uint8Array).toString();
  return new Webhook(withSecret).verify(text, { ...request?.headers });
}

describe('a webhook message', () => {
  it('is a JSON POST with the headers of Standard Webhooks', async () => {
    verifies('webhook.headers');
    const { request, result } = await send({});
    expect(result).toEqual({ status: 200, error: null });
    expect(request).toMatchObject({ method: 'POST', url, allow: 'declared', timeoutMs: 20_000 });
    expect(request?.headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'waymark',
      'webhook-id': 'msg_1',
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/) as string,
    });
    expect(JSON.parse(Buffer.from(request?.body as Uint8Array).toString())).toEqual(delivery.body);
  });

  it('is taken by a receiver with its secret, and by none with another', async () => {
    verifies('webhook.signed');
    const { request } = await send({ secretEnv: 'SECRET' });
    expect(receive(request, secret('a'))).toEqual(delivery.body);
    expect(() => receive(request, secret('b'))).toThrow('No matching signature');
    const forged = { ...request, body: Buffer.from('{}') } as OutboundRequest;
    expect(() => receive(forged, secret('a'))).toThrow('No matching signature');
    const renamed = {
      ...request,
      headers: { ...request?.headers, 'webhook-id': 'msg_2' },
    } as OutboundRequest;
    expect(() => receive(renamed, secret('a'))).toThrow('No matching signature');
  });

  it('is taken with the old secret and with the new one while they change', async () => {
    verifies('webhook.rotation');
    const { request } = await send({ secretEnv: 'ROTATED' });
    for (const letter of ['a', 'b']) expect(receive(request, secret(letter))).toEqual(delivery.body);
    expect(() => receive(request, secret('c'))).toThrow('No matching signature');
    const [first] = (request?.headers?.['webhook-signature'] ?? '').split(' ');
    expect(() =>
      receive(
        { ...request, headers: { ...request?.headers, 'webhook-signature': first ?? '' } } as OutboundRequest,
        secret('b'),
      ),
    ).not.toThrow();
  });

  it('carries a bearer token where one is declared', async () => {
    verifies('webhook.headers');
    const { request } = await send({ bearerEnv: 'TOKEN' });
    expect(request?.headers?.['authorization']).toBe('Bearer hush');
  });

  it.each([
    { secretEnv: 'UNSET' },
    { secretEnv: 'EMPTY' },
    { secretEnv: 'BROKEN' },
    { bearerEnv: 'UNSET' },
    { bearerEnv: 'EMPTY' },
  ])('is not sent where its variable holds nothing that can be used: %j', async (names) => {
    expect(await send(names)).toEqual({ result: { status: null, error: 'secret' }, request: undefined });
  });

  it('is not sent above 20,000 bytes', async () => {
    verifies('webhook.size');
    const sized = (bytes: number): typeof delivery => ({
      ...delivery,
      body: { type: 't', output: 'x'.repeat(bytes - '{"type":"t","output":""}'.length) },
    });
    expect((await send({}, { sent: sized(20_000) })).result.error).toBeNull();
    expect(await send({}, { sent: sized(20_001) })).toEqual({
      result: { status: null, error: 'size' },
      request: undefined,
    });
  });

  it.each([
    [200, null],
    [299, null],
    [301, 'redirect'],
    [308, 'redirect'],
    [400, 'answer'],
    [404, 'answer'],
    [410, 'gone'],
    [500, 'answer'],
  ])('has come to %i: %s', async (status, error) => {
    verifies('webhook.redirects');
    expect(
      (await send({}, { answer: { status, headers: { location: 'https://other.example/' } } })).result,
    ).toEqual({
      status,
      error,
    });
  });

  it.each([429, 503])('has to wait where %i says for how long', async (status) => {
    verifies('webhook.retry-after');
    const { result } = await send({}, { answer: { status, headers: { 'retry-after': '7' } } });
    expect(result).toEqual({ status, error: 'answer', retryAfterMs: 7_000 });
    const { result: longer } = await send({}, { answer: { status, headers: { 'retry-after': '86400' } } });
    expect(longer.retryAfterMs).toBe(600_000);
  });

  it.each([
    [403, 'address'],
    [502, 'unreachable'],
    [504, 'timeout'],
  ])('fails in a word where the client says %i', async (status, error) => {
    const { result } = await send(
      {},
      { answer: new HTTPError(status, 'https://desk.example did not answer') },
    );
    expect(result).toEqual({ status: null, error });
  });

  it('has arrived with its status, however long the answer goes on', async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(4_096));
      },
    });
    expect((await send({}, { answer: { status: 200, body } })).result).toEqual({ status: 200, error: null });
    expect(pulled).toBeLessThan(8);
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('cut')),
    });
    expect((await send({}, { answer: { status: 204, body: broken } })).result.error).toBeNull();
  });
});
