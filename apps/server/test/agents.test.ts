import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '@waymark/model-simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { application, ask, otherSecret, secret, serve } from './serve.ts';

/** Parks a run of the key `shop`, then starts the application again with other keys, and approves. */
async function approvedAfter(keys: { readonly shop?: readonly string[] }) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-agents-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { url: models, close } = await startSimulator({ anonymous: true });
  onTestFinished(close);
  let sold = 0;
  const shop = (scopes: readonly string[] | undefined) => {
    const app = application({ database: `sqlite://${join(folder, 'shop.db')}` });
    app
      .apiKey('OTHER_KEY', 'boss', { scopes: ['svc:admin', 'sell'] })
      .provider('simulator', models, { kind: 'anthropic' })
      .models({ default: 'simulator/claude-opus-5' })
      .pricing('default', 0, 0)
      .post('/sell', { tool: true, toolName: 'sell', approval: 'required', scopes: ['sell'] }, () => ++sold)
      .agent('clerk', { tools: ['sell'], scopes: ['sell'] });
    if (scopes) app.apiKey('SHOP_KEY', 'shop', { scopes });
    return app;
  };
  const first = await shop(['sell']).listen();
  const input = '[[call sell {}]] [[say Done.]]';
  const waiting = await ask(`${first.url}/agents/clerk`, { key: secret, body: { input } });
  expect(waiting.status).toBe(202);
  const [{ approval_id: id } = { approval_id: '' }] = (
    waiting.body as { readonly pending_approvals: readonly { readonly approval_id: string }[] }
  ).pending_approvals;
  await first.close();
  const { url } = await serve(shop(keys.shop));
  const decided = await ask(`${url}/_svc/approvals/${id}`, {
    key: otherSecret,
    body: { approve: true, note: '' },
  });
  return { status: decided.status, body: JSON.stringify(decided.body), sold };
}

describe('a run that waited over a restart', () => {
  it('goes on with what its caller may still do', async () => {
    expect(await approvedAfter({ shop: ['sell'] })).toMatchObject({ status: 200, sold: 1 });
  });

  it('does nothing that its caller may not do any more', async () => {
    const { sold, body } = await approvedAfter({ shop: [] });
    expect(sold).toBe(0);
    expect(body).toContain('sell');
  });

  it('fails when its caller is gone', async () => {
    const { status, sold, body } = await approvedAfter({});
    expect([status, sold]).toEqual([500, 0]);
    expect(body).toContain('caller_gone');
  });
});
