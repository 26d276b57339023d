import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startThinking, type ThinkingApplication } from './agents-application.ts';

const starters = [
  ['agent', '/agents/front-desk'],
  ['behaviour', '/behaviours/tidy-up'],
  ['flow', '/flows/hand-in'],
] as const;

/** One of each, twice: with scopes alone, and with others for whoever starts it. */
const declare = (app: Application): void => {
  app.get('/look', { tool: true, toolName: 'look', summary: 'Looks.' }, () => 'seen');
  const options = { description: 'Works.', scopes: ['write'] };
  const open = { ...options, exposeScopes: ['read'] };
  const flow = { pipeline: [{ tool: 'look', input: {} }] };
  app
    .agent('front_desk', options)
    .behaviour('tidy_up', options, () => 'tidy')
    .flow('hand_in', { ...flow, ...options })
    .agent('open_desk', { ...open, exposeAt: '/open/agents/front-desk' })
    .behaviour('open_tidy', { ...open, exposeAt: '/open/behaviours/tidy-up' }, () => 'tidy')
    .flow('open_hand_in', { ...flow, ...open, exposeAt: '/open/flows/hand-in' })
    .context('day', { data: 'Friday' })
    .camera('door');
};

describe('what starts runs', () => {
  let app: ThinkingApplication;
  beforeAll(async () => {
    app = await startThinking(declare);
  });
  afterAll(() => app.close());

  it.each(starters)(
    'is started by whoever has its scopes where it says nothing else: %s',
    async (_, path) => {
      verifies('authority.expose.none');
      const body = { input: '[[say Hello.]]' };
      expect((await app.send(path, body, 'ANN_KEY')).status).toBe(200);
      // Cat may read, and not write.
      expect((await app.send(path, body, 'CAT_KEY')).status).toBe(403);
      expect((await app.send(`/open${path}`, body, 'CAT_KEY')).status).toBe(200);
    },
  );

  it('is a tool under its declared name', async () => {
    verifies('name.declared');
    const { tools } = JSON.parse((await app.send('/_svc/tools')).text);
    const names = (tools as readonly { readonly name: string }[]).map(({ name }) => name);
    for (const name of ['front_desk', 'tidy_up', 'hand_in', 'open_desk', 'open_tidy', 'open_hand_in'])
      expect(names).toContain(name);
  });

  it('is listed by the control plane, each kind in a list of its own', async () => {
    verifies('purpose.control.declarations', 'listing.wrapped.others');
    await app.send('/agents/front-desk', { input: '[[say Hello.]]' });
    const expected = {
      agents: ['front_desk', 'open_desk'],
      behaviours: ['tidy_up', 'open_tidy'],
      flows: ['hand_in', 'open_hand_in'],
      contexts: ['day'],
      devices: ['door'],
    };
    for (const [kind, names] of Object.entries(expected)) {
      const listed = JSON.parse((await app.send(`/_svc/${kind}`)).text);
      expect(Object.keys(listed)[0]).toBe(kind);
      expect(listed[kind].map(({ name }: { readonly name: string }) => name)).toEqual(names);
    }
    await expect.poll(async () => (await app.send('/_svc/audit')).text).toContain('run_finished');
    for (const [kind, path] of [
      ['approvals', 'approvals'],
      ['events', 'audit'],
      ['runs', 'runs'],
    ] as const) {
      const listed = JSON.parse((await app.send(`/_svc/${path}`)).text);
      expect(Array.isArray(listed[kind])).toBe(true);
    }
  });
});
