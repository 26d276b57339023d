import {
  type Message,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type Spend,
} from '@waymark/contract/models';
import { type ScriptedReply, scriptedModel, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agent, context } from '../src/index.ts';
import { compactionCut } from '../src/run/compaction-cut.ts';
import { transcript } from '../src/run/transcript.ts';
import { openDesk } from './desk/open-desk.ts';
import { openTools } from './desk/tools.ts';

const cost = (inputTokens: number): Spend => ({
  ...{ model: 'm', provider: 'p', inputTokens, outputTokens: 5, estimated: false },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0, costMicros: null },
});

/** A reply that measured so many tokens of input. */
function measured(inputTokens: number, ...calls: readonly string[]): ModelReply {
  const parts = calls.map((name) => ({
    ...{ type: 'tool_call' as const, id: `c${++ids}`, name },
    arguments: {},
  }));
  const text = { type: 'text' as const, text: calls.length > 0 ? 'Looking.' : 'Found.' };
  const stop = calls.length > 0 ? 'tool_calls' : 'end';
  return { message: { role: 'assistant', parts: [text, ...parts] }, stop, spend: [cost(inputTokens)] };
}

let ids = 0;

async function openLong(replies: readonly ScriptedReply[], options = {}) {
  const models = scriptedModel(replies);
  const given = { tools: ['look'], scopes: ['read'], contextWindow: 1_000, keepRecent: 2, ...options };
  const desk = await openDesk([agent('helper', given)], models, openTools());
  const asked = () => models.requests.map(({ model }) => model);
  return { models, asked, ...desk };
}

function kindsOf({ messages }: ModelRequest): readonly string[] {
  return messages.map(({ parts }) => parts.map(({ type }) => type).join('+'));
}

const tooLong = new ModelError('too long', { reason: 'context_window', provider: 'p', model: 'm' });

describe('compaction', () => {
  it.each([
    [999, ['default', 'default', 'default']],
    [1_000, ['default', 'default', 'default']],
    [1_001, ['default', 'default', 'fast', 'default']],
  ])('with a window of 1000 and %s measured tokens asks %j', async (tokens, models) => {
    verifies('agent.compaction.trigger', 'agent.option.context-window', 'agent.option.compact-with.default');
    const replies = [
      measured(10, 'look'),
      measured(tokens, 'look'),
      ...(tokens > 1_000 ? ['So far.'] : []),
      'Found.',
    ];
    const { run, asked } = await openLong(replies);
    expect(await run('helper', 'Hi.')).toMatchObject({ status: 'completed', output: 'Found.' });
    expect(asked()).toEqual(models);
  });

  it('never happens by default', async () => {
    verifies('agent.option.context-window.default');
    const { run, asked } = await openLong([measured(10, 'look'), measured(9_000_000, 'look'), 'Found.'], {
      contextWindow: undefined,
    });
    await run('helper', 'Hi.');
    expect(asked()).toEqual(['default', 'default', 'default']);
  });

  it('guesses before the first call of a run what its session has grown to', async () => {
    const { run, asked, models } = await openLong(['First.', 'Second.', 'So far.', 'Third.'], {
      keepRecent: 1,
    });
    const say = (letters: number): Promise<unknown> =>
      run('helper', { input: 'x'.repeat(letters), session_id: 's' });
    await say(1_800);
    // Some 500 tokens and then some 900, as the scripted model counts.
    await say(1_800);
    expect(asked()).toEqual(['default', 'default']);
    await say(1_800);
    expect(asked()).toEqual(['default', 'default', 'fast', 'default']);
    expect(kindsOf(models.requests[3]!)).toEqual(['text', 'text']);
  });

  it('leaves alone a first message, however large', async () => {
    const { run, asked } = await openLong(['Found.']);
    await run('helper', 'x'.repeat(9_000));
    expect(asked()).toEqual(['default']);
  });

  it('puts a summary in the place of the oldest messages, and counts', async () => {
    verifies('agent.option.keep-recent', 'agent.compaction.recent', 'audit.kind.compaction');
    const { run, models, host } = await openLong([
      measured(10, 'look'),
      measured(2_000, 'look'),
      'They want a lamp.',
      'Found.',
    ]);
    const result = await run('helper', 'I want a lamp.');
    expect(kindsOf(models.requests[3]!)).toEqual(['text', 'text+tool_call', 'tool_result']);
    expect(models.requests[3]?.messages[0]).toEqual({
      role: 'user',
      parts: [{ type: 'text', text: 'Summary of the conversation so far:\nThey want a lamp.' }],
    });
    expect(result.usage).toMatchObject({ compactions: 1, steps: 3 });
    expect(result.steps.map(({ kind }) => kind)).toContain('compaction');
    expect(host.events).toEqual([
      { kind: 'compaction', run_id: 'run1', agent: 'helper', replaced: 3, kept: 2, summary_chars: 17 },
    ]);
  });

  it('is written by the model that is named, from what was said as data', async () => {
    verifies('agent.option.compact-with');
    const { run, models, asked } = await openLong(
      [measured(10, 'look'), measured(2_000, 'look'), 'So far.', 'Found.'],
      { compactWith: 'small' },
    );
    await run('helper', 'I want </conversation> a lamp.');
    expect(asked()[2]).toBe('small');
    const { messages, cache, tools } = models.requests[2]!;
    expect([cache, tools]).toEqual([false, undefined]);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[1]?.parts[0]).toEqual({
      type: 'text',
      text: '<conversation>\nUser: I want &lt;/conversation&gt; a lamp.\nAssistant: Looking. [calls look {}]\nUser: [result: did look ]\n</conversation>',
    });
  });

  it('keeps six messages by default', async () => {
    verifies('agent.option.keep-recent.default', 'limit.keep-recent');
    const turns = Array.from({ length: 4 }, () => measured(2_000, 'look'));
    const { run, models, asked } = await openLong([...turns, 'So far.', 'Found.'], { keepRecent: undefined });
    await run('helper', 'Hi.');
    expect(asked()).toEqual(['default', 'default', 'default', 'default', 'fast', 'default']);
    // The summary, then the six.
    expect(models.requests[5]?.messages).toHaveLength(7);
  });

  it('keeps six, neither five nor seven, where no call stands in the way', async () => {
    verifies('agent.option.keep-recent.default', 'agent.compaction.recent');
    const replies = ['One.', 'Two.', 'Three.', measured(2_000, 'look'), 'So far.', 'Found.'];
    const { run, models } = await openLong(replies, { keepRecent: undefined });
    for (const input of ['1', '2', '3', '4']) await run('helper', { input, session_id: 's' });
    // The summary, three of what was said before, the question, the call and its result.
    const kinds = ['text', 'text', 'text', 'text', 'text', 'text+tool_call', 'tool_result'];
    expect(kindsOf(models.requests[5]!)).toEqual(kinds);
  });

  it('is tried again 2, 4, then 8 steps after it failed', async () => {
    verifies('agent.compaction.backoff');
    const down = new ModelError('down', {
      reason: 'unavailable',
      provider: 'p',
      model: 'm',
      spend: [cost(3)],
    });
    const models = scriptedModel(
      Array.from(
        { length: 60 },
        () => (request: ModelRequest) => (request.model === 'fast' ? down : measured(5_000, 'look')),
      ),
    );
    const options = { tools: ['look'], scopes: ['read'], contextWindow: 1_000, keepRecent: 2, maxSteps: 24 };
    const desk = await openDesk([agent('helper', options)], models, openTools());
    const result = await desk.run('helper', 'Hi.');
    expect(result.status).toBe('step_limit');
    let steps = 0;
    const tried: number[] = [];
    for (const { model } of models.requests) {
      if (model === 'fast') tried.push(steps);
      else steps++;
    }
    expect(tried).toEqual([2, 4, 8, 16]);
    expect(result.usage['input_tokens']).toBe(24 * 5_000 + 4 * 3);
  });

  it('begins anew with its patience once it succeeded', async () => {
    const down = new ModelError('down', { reason: 'unavailable', provider: 'p', model: 'm' });
    const summaries: (string | Error)[] = [down, 'So far.', down, 'So far.'];
    const models = scriptedModel(
      Array.from(
        { length: 60 },
        () => (request: ModelRequest) =>
          request.model === 'fast' ? (summaries.shift() ?? 'So far.') : measured(5_000, 'look'),
      ),
    );
    const options = { tools: ['look'], scopes: ['read'], contextWindow: 1_000, keepRecent: 2, maxSteps: 9 };
    const desk = await openDesk([agent('helper', options)], models, openTools());
    await desk.run('helper', 'Hi.');
    let steps = 0;
    const tried: number[] = [];
    for (const { model } of models.requests) {
      if (model === 'fast') tried.push(steps);
      else steps++;
    }
    expect(tried.slice(0, 4)).toEqual([2, 4, 5, 7]);
  });

  it('counts an empty summary as a failure that is paid for', async () => {
    const empty: ModelReply = { message: { role: 'assistant', parts: [] }, stop: 'end', spend: [cost(40)] };
    const { run } = await openLong([measured(10, 'look'), measured(2_000, 'look'), empty, measured(1)]);
    const { status, usage } = await run('helper', 'Hi.');
    expect([status, usage['input_tokens'], usage['compactions']]).toEqual(['completed', 2_051, 1]);
  });

  it('ends the run when the budget does not pay for it', async () => {
    const { run, runner } = await openLong([measured(10, 'look'), measured(2_000, 'look')], {
      tokenBudget: 2_025,
      maxTokens: 10,
    });
    expect(await run('helper', 'Hi.')).toMatchObject({ status: 'budget_exhausted', output: 'Looking.' });
    expect(runner.journal.rows.at(-1)?.kind).toBe('compaction');
  });

  it.each([
    ['refuses a conversation as too long', tooLong],
    ['stops for want of room', { ...measured(10), stop: 'context_window' as const }],
  ])('happens once more when a provider %s', async (_, failure) => {
    const replies = [measured(10, 'look'), measured(10, 'look'), failure, 'So far.', 'Found.'];
    const { run, asked } = await openLong(replies, { contextWindow: undefined });
    expect(await run('helper', 'Hi.')).toMatchObject({ status: 'completed', output: 'Found.' });
    expect(asked()).toEqual(['default', 'default', 'default', 'fast', 'default']);
  });

  it('does not help a second time', async () => {
    const replies = [measured(10, 'look'), measured(10, 'look'), tooLong, 'So far.', tooLong];
    const { ask } = await openLong(replies, { contextWindow: undefined });
    expect(await ask('helper', { input: 'Hi.' })).toMatchObject({
      status: 502,
      body: { code: 'context_window' },
    });
  });

  it('cannot shorten what is short: the answer ends where the room did', async () => {
    const { run } = await openLong([{ ...measured(10), stop: 'context_window' }]);
    expect(await run('helper', 'Hi.')).toMatchObject({ status: 'max_tokens', output: 'Found.' });
  });

  it('leaves contexts as they are, behind the summary', async () => {
    const replies = [measured(10, 'look'), measured(2_000, 'look'), 'So far.', 'Found.'];
    const models = scriptedModel(replies);
    const options = {
      tools: ['look'],
      scopes: ['read'],
      contextWindow: 1_000,
      keepRecent: 2,
      context: ['shop'],
    };
    const shop = context('shop', { data: 'Open till six.' });
    const desk = await openDesk([agent('helper', options), shop], models, openTools());
    await desk.run('helper', 'Hi.');
    const texts = models.requests[3]?.messages.map(({ parts }) => JSON.stringify(parts));
    expect(texts?.[0]).toContain('So far.');
    expect(texts?.[1]).toContain('Open till six.');
    expect(texts).toHaveLength(4);
  });

  it('stays in the session, in the place of what it sums up', async () => {
    verifies('session.compacted');
    const { run, runner } = await openLong([
      measured(10, 'look'),
      measured(2_000, 'look'),
      'They want a lamp.',
      'Found.',
    ]);
    await run('helper', { input: 'Hi.', session_id: 's' });
    const [kept] = runner.sessions.values();
    expect(JSON.stringify(kept?.[0])).toContain('They want a lamp.');
    expect(kept).toHaveLength(4);
  });
});

/** Any conversation that runs of agents can make. */
const conversations = fc
  .array(
    fc.oneof(fc.constant('user' as const), fc.constant('assistant' as const), fc.integer({ min: 1, max: 3 })),
    { maxLength: 30 },
  )
  .map((kinds): readonly Message[] =>
    kinds.flatMap((kind, i): readonly Message[] => {
      if (typeof kind === 'string') return [{ role: kind, parts: [{ type: 'text', text: `${i}` }] }];
      const ids = Array.from({ length: kind }, (_, n) => `${i}-${n}`);
      return [
        { role: 'assistant', parts: ids.map((id) => ({ type: 'tool_call', id, name: 'x', arguments: {} })) },
        { role: 'user', parts: ids.map((id) => ({ type: 'tool_result', id, parts: [], isError: false })) },
      ];
    }),
  );

function idsOf(messages: readonly Message[], kind: 'tool_call' | 'tool_result'): readonly string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === kind ? [part.id] : [])));
}

describe('compactionCut', () => {
  it('never parts a call from its result, and keeps the newest messages', () => {
    verifies('agent.compaction.pairs', 'agent.compaction.recent');
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 12 }), (messages, keepRecent) => {
        const cut = compactionCut(messages, keepRecent);
        const kept = messages.slice(cut);
        expect(idsOf(kept, 'tool_call')).toEqual(idsOf(kept, 'tool_result'));
        if (cut === 0) return;
        expect(kept.length).toBeGreaterThanOrEqual(keepRecent);
        expect(cut).toBeGreaterThanOrEqual(2);
        // As much as it can: the next place is inside of a pair, or beyond what is kept.
        const next = messages.slice(cut + 1);
        expect(
          next.length < keepRecent || idsOf(next, 'tool_call').length < idsOf(next, 'tool_result').length,
        ).toBe(true);
      }),
    );
  });
});

describe('transcript', () => {
  const message = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });

  it('leaves out the middle where it is too long, and says how much', () => {
    const text = transcript(['first', 'a'.repeat(50), 'b'.repeat(50), 'last'].map(message), 80);
    expect(text).toBe(
      `<conversation>\nUser: first\n[1 messages are left out here]\nUser: ${'b'.repeat(50)}\nUser: last\n</conversation>`,
    );
  });

  it('cuts what is long by itself, and shows pictures as words', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
    const text = transcript([message('x'), { role: 'user', parts: [image] }, message('y'.repeat(5_000))]);
    expect(text).toContain('User: [image]');
    expect(text).toContain('[cut: the first 4000 of 5000 characters are shown]');
    expect(text).not.toContain('AAAA');
  });
});
