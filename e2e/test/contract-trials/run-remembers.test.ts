/**
 * What code of a run may rely on when it runs again: values, what was said, what it was declared to be. The same trial
 * runner, journal and dispatcher as where runs park.
 */
import type { Json, OpSpec } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { createTrial, human, json, onlyApproval, refundOnce, start } from './runs/create-trial.ts';
import { call, type Turn } from './runs/trial-engines.ts';

const yes = { approve: true, note: '', by: human };

/** A turn that says what it was told before, and needs a human when it is asked to. */
const recall: Turn = async (context, scope, question) => {
  const before = await scope.history();
  if (question === 'refund') await call(context, scope, 'refund', { cents: 1 });
  return before;
};

describe('a run that is run again', () => {
  it('is given the values it was given, and the tools that hang on them are asked alike', async () => {
    let made = 0;
    const { dispatcher, agent, runner } = await createTrial(async (context, scope) => {
      const uuid = scope.value('uuid', () => `id ${++made}`);
      const found = await call(context, scope, 'lookup', { input: uuid });
      const now = scope.value('now', () => ++made);
      await call(context, scope, 'refund', { cents: 3 });
      return [uuid, found.ok && found.value, now, scope.value('random', () => ++made)];
    });
    await start(dispatcher, agent);
    expect(made).toBe(2);
    expect(json(await runner.decide(onlyApproval(runner), yes))).toEqual(['id 1', 'id 1, looked up', 2, 3]);
  });

  it('has its values on record before a tool hears of them', async () => {
    const recorded: OpSpec['kind'][] = [];
    const { dispatcher, agent, runner } = await createTrial(async (_, scope) => {
      scope.value('uuid', () => 'id');
      await scope.op({ kind: 'context', name: 'rows', input: null, repeat: 'safe' }, async () => {
        recorded.push(...runner.recorded(scope.runId));
        return { value: null };
      });
      return null;
    });
    await start(dispatcher, agent);
    expect(recorded).toEqual(['model', 'value']);
  });

  it('can look at what it did next', async () => {
    const seen: (OpSpec['kind'] | undefined)[] = [];
    const { dispatcher, agent, runner } = await createTrial(async (context, scope) => {
      seen.push(scope.peek());
      const compaction = { kind: 'compaction', name: 'c', input: null, repeat: 'safe' } as const;
      await scope.op(compaction, async () => ({ value: null }));
      seen.push(scope.peek());
      await call(context, scope, 'refund', { cents: 3 });
      return null;
    });
    await start(dispatcher, agent);
    expect(seen.splice(0)).toEqual([undefined, undefined]);
    await runner.decide(onlyApproval(runner), yes);
    expect(seen).toEqual(['compaction', undefined]);
  });

  it('goes on as it was declared when it began', async () => {
    const { dispatcher, flow, runner, tools } = await createTrial(refundOnce);
    await start(dispatcher, flow);
    tools.splice(0, 2, 'lookup');
    expect(json(await runner.decide(onlyApproval(runner), yes))).toMatchObject({ refund: { refunded: 500 } });
    expect(json(await start(dispatcher, flow))).toBe('ticket 7, looked up');
  });
});

describe('the turns of a session', () => {
  const ask = async (questions: readonly Json[]) => {
    const trial = await createTrial(recall);
    const say = (input: Json, more = {}) =>
      start(trial.dispatcher, trial.agent, { input, session_id: '7', ...more });
    for (const question of questions) await say(question);
    return { ...trial, say };
  };

  it('know what was said before, and a call without a session knows nothing', async () => {
    const { say, dispatcher, agent } = await ask(['one']);
    expect(json(await say('two'))).toEqual(['one', []]);
    expect(json(await start(dispatcher, agent))).toEqual([]);
  });

  it('do not overtake one that waits, which finds everything as it left it', async () => {
    const { say, runner } = await ask(['one', 'refund']);
    expect(await say('two')).toMatchObject({ status: 409, body: { code: 'session_busy' } });
    expect(json(await runner.decide(onlyApproval(runner), yes))).toEqual(['one', []]);
    expect(json(await say('two'))).toEqual(['one', [], 'refund', ['one', []]]);
  });

  it('begin anew in place of one that waits', async () => {
    const { say, runner } = await ask(['one', 'refund']);
    expect(json(await say('two', { reset: true }))).toEqual([]);
    expect(runner.approvals.all.map(({ status }) => status)).toEqual(['withdrawn']);
    expect(json(await say('three'))).toEqual(['two', []]);
  });
});
