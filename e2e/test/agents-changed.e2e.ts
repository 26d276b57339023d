import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { type Application, Type } from '@waymark/server';
import { expect, it, onTestFinished } from 'vitest';
import { type ThinkingOptions, thinking } from './agents-application.ts';

/** What is sold, and how: as it is declared on one day. */
interface Shop {
  readonly tools?: readonly string[];
  readonly most?: number;
  /** Whether there is anything to sell with. */
  readonly counter?: boolean;
}

let sold: number[] = [];

const declare = (app: Application, { tools = ['sell'], most = 100, counter = true }: Shop): void => {
  if (counter) {
    const input = { count: Type.Integer({ maximum: most }) };
    const options = { tool: true, toolName: 'sell', approval: 'required', summary: 'Sells.' } as const;
    app.post('/sell', { ...options, scopes: ['write'], input }, ({ count }) => {
      sold.push(count);
      return 'sold';
    });
  }
  // Who may start it does not change with what it may do.
  app.agent('clerk', { tools, scopes: ['write'], exposeScopes: ['read'], description: 'Sells.' });
};

it.each<readonly [string, Shop, readonly number[], RegExp]>([
  ['nothing', {}, [5], /sold/],
  ['the tools of the agent', { tools: [] }, [], /sell/],
  ['the tool, which is gone', { tools: [], counter: false }, [], /sell/],
  ['what the tool takes', { most: 4 }, [], /422/],
])('an approved call is made as of today: changed is %s', async (_, today, done, told) => {
  verifies('state.run.approved', 'run.survives');
  sold = [];
  const folder = mkdtempSync(join(tmpdir(), 'agents-changed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const options: ThinkingOptions = { database: `sqlite://${join(folder, 'shop.db')}` };
  const first = await thinking((app) => declare(app, {}), options);
  const waiting = await first.ask('clerk', '[[call sell {"count":5}]] [[echo results]]');
  expect(waiting.status, waiting.text).toBe(202);
  await first.close();

  const second = await thinking((app) => declare(app, today), options);
  const path = `/_svc/approvals/${waiting.value.pending_approvals?.[0]?.approval_id}`;
  const { status, value } = await second.send(path, { approve: true, note: '' });
  expect([status, value.status]).toEqual([200, 'completed']);
  expect(sold).toEqual(done);
  expect(value.output).toMatch(told);
});
