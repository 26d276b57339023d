import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { application, ask, otherSecret, secret, serve } from './serve.ts';

/** Who may do what, when the application starts. */
interface Granted {
  /** Of the key `shop`; undefined: there is none. */
  readonly shop?: readonly string[];
  /** Of callers without credentials. */
  readonly anybody?: readonly string[];
}

/** Parks a run of the key `shop`, or of a caller without one; then starts the application again, with other rights, and approves. */
async function approvedAfter(before: Granted, after: Granted) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-agents-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { url: models, close } = await startSimulator({ anonymous: true });
  onTestFinished(close);
  let sold = 0;
  const shop = ({ shop: scopes, anybody }: Granted) => {
    const app = application({ database: `sqlite://${join(folder, 'shop.db')}` });
    app
      .apiKey('OTHER_KEY', 'boss', { scopes: ['svc:admin', 'sell'] })
      .provider('simulator', models, { kind: 'anthropic' })
      .models({ default: 'simulator/claude-opus-5' })
      .pricing('default', 0, 0)
      .post('/sell', { tool: true, toolName: 'sell', approval: 'required', scopes: ['sell'] }, () => ++sold)
      .agent('clerk', { tools: ['sell'], scopes: ['sell'] });
    if (scopes) app.apiKey('SHOP_KEY', 'shop', { scopes });
    if (anybody) app.anonymousScopes(...anybody);
    return app;
  };
  const first = await shop(before).listen();
  const input = '[[call sell {}]] [[say Done.]]';
  const waiting = await ask(`${first.url}/agents/clerk`, {
    ...(before.shop && { key: secret }),
    body: { input },
  });
  expect(waiting.status).toBe(202);
  const [{ approval_id: id } = { approval_id: '' }] = (
    waiting.body as { readonly pending_approvals: readonly { readonly approval_id: string }[] }
  ).pending_approvals;
  await first.close();
  const { url } = await serve(shop(after));
  const decided = await ask(`${url}/_svc/approvals/${id}`, {
    key: otherSecret,
    body: { approve: true, note: '' },
  });
  return { status: decided.status, body: JSON.stringify(decided.body), sold };
}

describe('a run that waited over a restart', () => {
  it.each<Granted>([{ shop: ['sell'] }, { anybody: ['sell'] }])(
    'goes on with what %j may still do',
    async (before) => {
      verifies('run.authority.today');
      expect(await approvedAfter(before, before)).toMatchObject({ status: 200, sold: 1 });
    },
  );

  it.each<{ before: Granted; after: Granted }>([
    { before: { shop: ['sell'] }, after: { shop: [] } },
    { before: { anybody: ['sell'] }, after: { anybody: ['read'] } },
    { before: { anybody: ['sell'] }, after: {} },
  ])('does nothing that its caller may not do any more: $before, then $after', async ({ before, after }) => {
    verifies('run.authority.today');
    const { sold, body } = await approvedAfter(before, after);
    expect(sold).toBe(0);
    expect(body).toContain('sell');
  });

  it('fails when its caller is gone', async () => {
    const { status, sold, body } = await approvedAfter({ shop: ['sell'] }, {});
    expect([status, sold]).toEqual([500, 0]);
    expect(body).toContain('caller_gone');
  });
});
