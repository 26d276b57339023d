import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Host, Plugin } from '@waymark/contract/engine';
import type { WebhookEndpoint } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { application, ask, secret as key, serve } from './serve.ts';

const signing = `whsec_${Buffer.from('a'.repeat(32)).toString('base64')}`;
const env = { HOOK_SECRET: signing, HOOK_TOKEN: 'hush-token' };

interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A receiver on a port of its own. */
async function receiver(
  answer: (response: ServerResponse, count: number) => void = (response) => response.writeHead(204).end(),
): Promise<{ readonly url: string; readonly received: readonly Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const { url: path = '', headers } = request;
    let text = '';
    request.setEncoding('utf8').on('data', (piece) => {
      text += String(piece);
    });
    request.on('end', () => {
      received.push({ id: String(headers['webhook-id']), path, headers, text });
      answer(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hush`, received };
}

/** A plugin that sends by endpoints of its own, as watchers do. */
function bell(
  endpoints: readonly WebhookEndpoint[],
): Plugin & { ring(id: string, endpoint?: string): Promise<void> } {
  let host: Host | undefined;
  return {
    name: 'bell',
    routes: [],
    webhooks: () => endpoints,
    start(given) {
      host = given;
    },
    async ring(id, endpoint = endpoints[0]?.name ?? '') {
      await host?.stores.outbox.add({ id, endpoint, body: { type: 'bell', id } }, host.now());
    },
  };
}

const rowsOf = async (url: string, options = {}): Promise<readonly Record<string, unknown>[]> =>
  ((await ask(`${url}/_svc/webhooks`, options)).body as { webhooks: Record<string, unknown>[] }).webhooks;

describe('webhooks of a server', () => {
  it('arrive, signed, with a token, and once', async () => {
    verifies('webhook.headers', 'webhook.signed');
    const { url: hook, received } = await receiver();
    const plugin = bell([
      { name: 'bell:yard', url: hook, secretEnv: 'HOOK_SECRET', bearerEnv: 'HOOK_TOKEN' },
    ]);
    const { url } = await serve(application({}, env).add(plugin));
    for (const id of ['one', 'two', 'one']) await plugin.ring(id);
    await expect.poll(() => received.map(({ id }) => id)).toEqual(['one', 'two']);
    const { headers, text, path } = received[0] as Received;
    expect(path).toBe('/hook?token=hush');
    expect(JSON.parse(text)).toEqual({ type: 'bell', id: 'one' });
    expect(headers['authorization']).toBe('Bearer hush-token');
    const signed = createHmac('sha256', Buffer.alloc(32, 'a'))
      .update(`one.${String(headers['webhook-timestamp'])}.${text}`)
      .digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signed}`);
    await expect
      .poll(() => rowsOf(url))
      .toMatchObject([{ id: 'bell:yard', state: 'ok', delivered: 2, queued: 0 }]);
  });

  it('follow no redirect, and take nothing with them', async () => {
    verifies('webhook.redirects');
    const other = await receiver();
    const { url: hook, received } = await receiver((response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    const plugin = bell([{ name: 'bell:yard', url: hook, bearerEnv: 'HOOK_TOKEN' }]);
    const { url } = await serve(application({}, env).add(plugin));
    await plugin.ring('one');
    await expect
      .poll(() => rowsOf(url))
      .toMatchObject([{ state: 'retrying', queued: 1, last_status: 307, last_error: 'redirect' }]);
    expect(received).toHaveLength(1);
    expect(other.received).toEqual([]);
  });

  it.each(['http://169.254.169.254/', 'http://[::ffff:169.254.169.254]/', 'http://[fd00:ec2::254]/'])(
    'are not sent to the metadata address %s',
    async (hook) => {
      verifies('webhook.metadata');
      const plugin = bell([{ name: 'bell:yard', url: hook }]);
      const { url } = await serve(application().add(plugin));
      await plugin.ring('one');
      await expect
        .poll(() => rowsOf(url))
        .toMatchObject([{ queued: 1, last_status: null, last_error: 'address' }]);
    },
  );

  it('wait for a receiver that is away, and for no other', async () => {
    verifies('webhook.isolation');
    const away = await receiver((response) => response.destroy());
    const hanging = await receiver(() => {});
    const well = await receiver();
    const plugin = bell([
      { name: 'away', url: away.url },
      { name: 'hanging', url: hanging.url },
      { name: 'well', url: well.url },
    ]);
    const { url } = await serve(application({ shutdownTimeout: 1 }).add(plugin));
    for (const endpoint of ['away', 'hanging', 'well'])
      for (const n of [1, 2, 3]) await plugin.ring(`${endpoint}${n}`, endpoint);
    await expect.poll(() => well.received.map(({ id }) => id)).toEqual(['well1', 'well2', 'well3']);
    await expect
      .poll(async () => (await rowsOf(url)).map(({ state }) => state))
      .toEqual(['failing', 'idle', 'ok']);
    expect(hanging.received).toHaveLength(1);
  });

  it('take the status of an answer that does not end', async () => {
    const { url: hook, received } = await receiver((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const plugin = bell([{ name: 'bell:yard', url: hook }]);
    const { url } = await serve(application().add(plugin));
    await plugin.ring('one');
    await expect.poll(() => rowsOf(url)).toMatchObject([{ state: 'ok', delivered: 1 }]);
    expect(received).toHaveLength(1);
  });

  it('are listed, read and sent again by who may run the server, without URL and secrets', async () => {
    verifies('webhook.listing', 'webhook.redeliver', 'webhook.gone', 'webhook.secrets');
    let isGone = true;
    const { url: hook, received } = await receiver((response) =>
      response.writeHead(isGone ? 410 : 200).end(),
    );
    const plugin = bell([
      { name: 'bell:yard', url: hook, secretEnv: 'HOOK_SECRET', bearerEnv: 'HOOK_TOKEN' },
    ]);
    const app = application({}, env)
      .apiKey('SHOP_KEY', 'owner', { scopes: ['svc:admin'] })
      .add(plugin);
    const { url } = await serve(app);
    expect((await ask(`${url}/_svc/webhooks`)).status).toBe(401);
    for (const id of ['one', 'two']) await plugin.ring(id);
    const stopped = { state: 'stopped', queued: 0, failed: 2, last_status: 410, last_error: 'gone' };
    await expect.poll(() => rowsOf(url, { key })).toMatchObject([stopped]);
    const [row] = await rowsOf(url, { key });
    expect(row).toEqual({
      ...{ id: 'bell:yard', host: new URL(hook).host, signed: true, ...stopped },
      ...{ delivered: 0, dropped: 0, last_at_ms: expect.any(Number) as number, next_attempt_ms: null },
    });
    const one = await ask(`${url}/_svc/webhooks/bell:yard`, { key });
    expect(one.body).toMatchObject({
      id: 'bell:yard',
      messages: [
        { id: 'two', type: 'bell', state: 'failed', attempts: 0, last_error: 'gone', next_attempt_ms: null },
        { id: 'one', type: 'bell', state: 'failed', attempts: 1, last_status: 410 },
      ],
    });
    isGone = false;
    const redeliver = `${url}/_svc/webhooks/bell%3Ayard/redeliver`;
    expect((await ask(redeliver, { method: 'POST', key, body: { message_id: 'none' } })).status).toBe(404);
    const again = await ask(redeliver, { method: 'POST', key, body: { message_id: 'two' } });
    expect(again).toMatchObject({ status: 200, body: { redelivered: 1 } });
    await expect.poll(() => received.map(({ id }) => id)).toEqual(['one', 'two']);
    expect((await ask(redeliver, { method: 'POST', key, body: {} })).body).toEqual({ redelivered: 1 });
    await expect.poll(() => received.map(({ id }) => id)).toEqual(['one', 'two', 'one']);
    expect((await ask(`${url}/_svc/webhooks/none`, { key })).status).toBe(404);
    const told = await Promise.all(
      ['/webhooks', '/webhooks/bell:yard', '/security', '/audit', '/health'].map((path) =>
        ask(`${url}/_svc${path}`, { key }),
      ),
    );
    expect(JSON.stringify(told.map(({ body }) => body))).not.toMatch(/hush|whsec|\/hook/);
  });

  it('are counted in health while they wait, which names the receiver and is ready', async () => {
    verifies('health.outside', 'health.ready');
    const { url: hook } = await receiver((response) => response.writeHead(500).end());
    const plugin = bell([{ name: 'bell:yard', url: hook }]);
    const { url } = await serve(application().add(plugin));
    for (const id of ['one', 'two', 'three']) await plugin.ring(id);
    await expect.poll(() => rowsOf(url)).toMatchObject([{ state: 'failing' }]);
    expect(await ask(`${url}/_svc/health?ready`)).toMatchObject({
      status: 200,
      body: {
        ...{ status: 'degraded', webhooks_waiting: 3 },
        troubles: [
          { code: 'webhook-failing', message: expect.stringContaining('"bell:yard" (answers 500, for') },
        ],
      },
    });
  });

  it('leave a server that sends none as it is', async () => {
    const { url } = await serve(application());
    expect(await rowsOf(url)).toEqual([]);
    expect((await ask(`${url}/_svc/health`)).body).not.toHaveProperty('webhooks_waiting');
  });
});
