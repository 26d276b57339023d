import { type ScriptedReply, scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { agent, context } from '../src/index.ts';
import { openDesk } from './desk/open-desk.ts';
import { openTools, resultsOf } from './desk/tools.ts';

const transfer = (to: string, reason: unknown = 'it is about money') => ({
  name: `transfer_to_${to}`,
  arguments: { reason } as { reason: string },
});

/** A front desk that hands over to a cashier. */
async function openFront(replies: readonly ScriptedReply[], front = {}, cashier = {}) {
  const models = scriptedModel(replies);
  const tools = openTools();
  const desk = await openDesk(
    [
      agent('front', {
        ...{
          system: 'You greet.',
          tools: ['look', 'mail'],
          scopes: ['read', 'write'],
          handoffs: ['cashier'],
        },
        ...{ maxSteps: 3, tokenBudget: 90_000, ...front },
      }),
      agent('cashier', {
        ...{ system: 'You count.', description: 'Knows about money.', model: 'smart', maxTokens: 500 },
        ...{ tools: ['write', 'secret', 'pay'], scopes: ['write', 'nobody'], maxSteps: 50, ...cashier },
      }),
      context('shop', { data: 'The shop is open.' }),
      context('rates', { data: 'One lamp is 5.' }),
    ],
    models,
    tools,
  );
  return { models, tools, ...desk };
}

describe('a handoff', () => {
  it('is offered as a tool with a reason', async () => {
    verifies('agent.option.handoffs', 'agent.handoff.tool');
    const { run, models } = await openFront(['Hello.']);
    await run('front', 'Hi.');
    expect(models.requests[0]?.tools?.at(-1)).toEqual({
      name: 'transfer_to_cashier',
      description: 'Hands the conversation over to cashier, who goes on with it. Knows about money.',
      inputSchema: expect.objectContaining({ required: ['reason'], additionalProperties: false }) as unknown,
    });
  });

  it('changes prompt, model, tools and contexts, and neither conversation nor limits', async () => {
    verifies('agent.handoff.changes', 'agent.handoff.stays', 'context.once');
    const { run, models, runner } = await openFront(
      [
        { calls: [transfer('cashier')], text: 'A moment.' },
        { calls: [{ name: 'write' }] },
        { calls: [{ name: 'write' }] },
      ],
      { context: ['shop'] },
      { context: ['rates'] },
    );
    const result = await run('front', 'What is a lamp?');
    expect(result).toMatchObject({ status: 'step_limit', path: ['front', 'cashier'], agent: 'cashier' });
    const [before, after] = models.requests;
    expect(before).toMatchObject({ model: 'default', maxTokens: 16_000 });
    expect(after).toMatchObject({ model: 'smart', maxTokens: 500 });
    expect(after?.tools?.map(({ name }) => name)).toEqual(['write', 'secret', 'pay']);
    expect(textsOf(before!)).toEqual(['You greet.', expect.stringContaining('open.'), 'What is a lamp?']);
    expect(textsOf(after!)).toEqual([
      'You count.',
      'What is a lamp?',
      'A moment.',
      'the conversation is with cashier now',
      expect.stringContaining('One lamp is 5.'),
    ]);
    expect(result.usage).toMatchObject({ steps: 3, handoffs: 1 });
    expect(runner.specs).toHaveLength(1);
    expect(result.steps.map(({ kind }) => kind)).toContain('handoff');
  });

  it('narrows what the run may do once more', async () => {
    verifies('agent.handoff.scopes', 'authority.run.handoff');
    const calls = [{ name: 'write' }, { name: 'secret' }];
    const { run, models, tools } = await openFront([{ calls: [transfer('cashier')] }, { calls }, 'No.']);
    await run('front', 'Hi.');
    expect(tools.done).toEqual(['write ']);
    expect(resultsOf(models.requests[2]!)[1]).toBe(
      'tool secret failed with 403: missing scope "nobody"; this run has the scopes write: those that its agent and its caller share',
    );
  });

  it('calls with the scopes that are left, not with those it began with', async () => {
    const { run, models, tools } = await openFront(
      [{ calls: [transfer('cashier')] }, { calls: [{ name: 'look' }] }, 'No.'],
      {},
      { tools: ['look'] },
    );
    await run('front', 'Hi.');
    expect(tools.done).toEqual([]);
    expect(resultsOf(models.requests[2]!)[0]).toContain('missing scope "read"');
  });

  it('takes tools away that only the agent before had', async () => {
    const { run, models, tools } = await openFront([
      { calls: [transfer('cashier')] },
      { calls: [{ name: 'mail' }] },
      'No.',
    ]);
    await run('front', 'Hi.');
    expect(tools.done).toEqual([]);
    expect(resultsOf(models.requests[2]!)).toEqual(['"mail" is not a tool of agent "cashier"']);
  });

  it('comes after the other calls of its turn, which are the old agent’s, and happens once', async () => {
    const { run, models, tools } = await openFront([
      { calls: [transfer('cashier'), { name: 'mail' }, transfer('cashier', 'again')] },
      'Here.',
    ]);
    await run('front', 'Hi.');
    expect(tools.done).toEqual(['mail ']);
    expect(resultsOf(models.requests[1]!)).toEqual([
      'the conversation is with cashier now',
      'did mail ',
      'only one handoff is made in a turn',
    ]);
    expect(models.requests[1]?.model).toBe('smart');
  });

  it('does not happen after a declined call', async () => {
    const { run, runner, models } = await openFront(
      [{ calls: [{ name: 'pay', arguments: { cents: 5 } }, transfer('cashier')] }, 'Then not.'],
      { tools: ['pay'] },
    );
    await run('front', 'Hi.');
    runner.answer('pay', 'declined');
    const result = await run('front', 'Hi.', { resume: { rootId: 'run1' } });
    expect(result.path).toEqual(['front']);
    expect(resultsOf(models.requests[1]!)[1]).toBe('not executed: an earlier call of this turn was declined');
  });

  it.each([
    ['an agent it does not name', transfer('front'), '"transfer_to_front" is not a tool of agent "front"'],
    ['nobody', transfer('ghost'), '"transfer_to_ghost" is not a tool of agent "front"'],
    ['no reason', transfer('cashier', 7), 'the arguments of "transfer_to_cashier" are not { reason }'],
  ])('is refused with %s', async (_, call, text) => {
    const { run, models } = await openFront([{ calls: [call] }, 'Then not.']);
    const result = await run('front', 'Hi.');
    expect(resultsOf(models.requests[1]!)).toEqual([text]);
    expect(result.steps.map(({ kind }) => kind)).toEqual(['model', 'tool_refused', 'model']);
  });

  it('is audited once, with who and why', async () => {
    verifies('audit.kind.handoff');
    const { run, host, runner } = await openFront([
      { calls: [transfer('cashier')] },
      { calls: [{ name: 'pay', arguments: { cents: 5 } }] },
      'Paid.',
    ]);
    await run('front', 'Hi.');
    runner.answer('pay', 'approved');
    await run('front', 'Hi.', { resume: { rootId: 'run1' } });
    expect(host.events).toEqual([
      { kind: 'handoff', run_id: 'run1', from: 'front', to: 'cashier', reason: 'it is about money' },
    ]);
  });
});

function textsOf({ messages }: { readonly messages: readonly { readonly parts: readonly object[] }[] }) {
  const text = (part: object): readonly string[] => {
    if ('parts' in part) return (part.parts as readonly object[]).flatMap(text);
    return 'text' in part ? [String(part.text)] : [];
  };
  return messages.flatMap(({ parts }) => parts.flatMap(text));
}
