import { setTimeout as sleep } from 'node:timers/promises';
import { HTTPError, type HTTPErrorOptions } from '@waymark/contract';
import type { BehaviourContext } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { thinking } from './agents-application.ts';

const read = ['read'];

/** Runs a behaviour for somebody who may read, and nothing else. */
async function serve(body: (ctx: BehaviourContext) => unknown) {
  const app = await thinking((app) =>
    app
      .get('/lamps', { tool: true, toolName: 'lamps', scopes: read, summary: 'Lists lamps.' }, () => [7])
      .post(
        '/write',
        { tool: true, toolName: 'write', scopes: ['write'], summary: 'Writes.' },
        () => 'written',
      )
      .post(
        '/refund',
        { tool: true, toolName: 'refund', approval: 'required', summary: 'Pays.' },
        () => 'paid',
      )
      .behaviour('undeclared', { tools: ['lamps'], scopes: read, exposeScopes: read }, body)
      .behaviour(
        'tidy',
        { tools: ['lamps', 'write', 'refund'], scopes: ['read', 'write'], exposeScopes: read },
        body,
      ),
  );
  return {
    ...app,
    run: (name = 'tidy') => app.send(`/behaviours/${name}`, {}, 'CAT_KEY'),
  };
}

/** The list, whether it lets itself be added to or not. */
function push(list: readonly string[], word: string): void {
  try {
    (list as string[]).push(word);
  } catch {
    // Whether it throws is no promise.
  }
}

describe('a behaviour that wants more than it may', () => {
  it('gives itself no scopes', async () => {
    const { run } = await serve((ctx) => {
      push(ctx.user.scopes, 'write');
      return ctx.call('write');
    });
    expect((await run()).status).toBe(403);
  });

  it('gives itself no tools, and nobody after it', async () => {
    const { run } = await serve((ctx) => {
      push(ctx.tools, 'refund');
      return ctx.call('refund');
    });
    for (let i = 0; i < 2; i++)
      expect(await run('undeclared')).toMatchObject({ status: 403, value: { code: 'tool_refused' } });
  });
});

describe('a timer that a behaviour left behind', () => {
  it.each<readonly [string, (ctx: BehaviourContext) => unknown]>([
    ['ended', () => 'done'],
    ['waits for a human', (ctx) => ctx.call('refund')],
    ['was halted', (ctx) => ctx.halt('enough')],
  ])('does not end the process when the run %s', async (_, rest) => {
    let beats = 0;
    const { run } = await serve((ctx) => {
      setTimeout(() => {
        ctx.log('late');
        beats += [ctx.now(), ctx.random(), ctx.uuid()].length;
      }, 100);
      return rest(ctx);
    });
    expect((await run()).status).toBeLessThan(300);
    // What it throws would be an error of this test run, too.
    while (beats === 0) await sleep(20);
    expect(beats).toBe(3);
  });
});

describe('an error with members that JSON cannot hold', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);

  it.each([[{ code: 5n }], [{ errors: cyclic }], [{ headers: { 'retry-after': 5n } }]])(
    'fails the run like any other bug: %o',
    async (members) => {
      const { run } = await serve(() => {
        throw new HTTPError(409, 'no', members as HTTPErrorOptions);
      });
      expect(await run()).toMatchObject({ status: 500, value: { detail: 'internal error' } });
    },
  );
});

describe('a name that is none', () => {
  it.each([[null], ['\ud800'], ['a\0b'], [{}]])('fails the call, not the store: %o', async (name) => {
    const { run } = await serve((ctx) =>
      Promise.allSettled([ctx.call(name as string), ctx.context(name as string)]).then((all) =>
        all.map(({ status }) => status),
      ),
    );
    expect(JSON.parse((await run()).text)).toEqual(['rejected', 'rejected']);
  });
});
