import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { application, ask, secret as key, serve } from './serve.ts';

interface Message {
  readonly id: string;
  readonly body: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** A receiver that keeps what it is sent. */
async function receiver(): Promise<{ readonly url: string; readonly messages: readonly Message[] }> {
  const messages: Message[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece) => {
      text += String(piece);
    });
    request.on('end', () => {
      messages.push({
        id: String(request.headers['webhook-id']),
        body: JSON.parse(text) as Message['body'],
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, messages };
}

it('notify tells of a question with the link to decide, and of what the run came to', async () => {
  verifies('notify.approval', 'notify.run');
  const { url: hook, messages } = await receiver();
  const app = application({ publicUrl: 'https://shop.example.com' })
    .notify(hook, { events: ['approval_requested', 'run_finished'], name: 'desk' })
    .post('/refund', { tool: true, toolName: 'refund', approval: 'required' }, () => 'paid back')
    .behaviour('tidy', { tools: ['refund'] }, async (ctx) => String(await ctx.call('refund', {})));
  const { url } = await serve(app);
  const started = await ask(`${url}/behaviours/tidy`, { method: 'POST', body: {} });
  expect(started.status).toBe(202);
  await expect.poll(() => messages).toHaveLength(1);
  const { type, data } = messages[0]?.body ?? { type: '', data: {} };
  expect(type).toBe('approval_requested');
  expect(data).toMatchObject({ agent: 'tidy', path: ['tidy'], tool: 'refund', arguments: {} });
  const id = String(data['approval_id']);
  expect(data['decide_url']).toBe(`https://shop.example.com/_svc/approvals/${id}`);
  const decided = await ask(`${url}/_svc/approvals/${id}`, { method: 'POST', body: { approve: true } });
  expect(decided.status).toBe(200);
  await expect.poll(() => messages).toHaveLength(2);
  expect(messages[1]?.body).toMatchObject({
    type: 'run_finished',
    data: { run_id: data['run_id'], kind: 'behaviour', name: 'tidy', status: 'completed', tokens: 0 },
  });
  expect((await ask(`${url}/_svc/webhooks`)).body).toMatchObject({
    webhooks: [
      { id: 'notify:desk', events: ['approval_requested', 'run_finished'], state: 'ok', delivered: 2 },
    ],
  });
});

it('notify tells of a camera that comes and goes', async () => {
  verifies('notify.events');
  const { url: hook, messages } = await receiver();
  const app = application()
    .apiKey('SHOP_KEY', 'owner', { scopes: ['devices:ingest'] })
    .notify(hook, { events: ['device_status'] })
    .sensor('thermo');
  const { url } = await serve(app);
  const told = await ask(`${url}/devices/thermo/telemetry`, { method: 'POST', key, body: { celsius: 21 } });
  expect(told.status).toBe(202);
  await expect
    .poll(() => messages.map(({ body }) => body))
    .toMatchObject([{ type: 'device_status', data: { device: 'thermo', status: 'online' } }]);
});
