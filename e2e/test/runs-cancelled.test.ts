/** Runs that are cancelled while a call of theirs is under way, over the doors of a whole application. */
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Envelope, thinking } from './agents-application.ts';

const unknown = (tool: string) => ({
  ...{ kind: 'tool_call', tool },
  error: `the run was cancelled while ${tool} was running; it may or may not have happened`,
});

/** A run as the control plane tells it. */
type Told = Pick<Envelope, 'status' | 'steps' | 'usage'> & { readonly runs: readonly Told[] };

/** Tools that act, each of which is under way until the test lets it go, and who calls them. */
async function desk() {
  const effects: string[] = [];
  const begun: string[] = [];
  const doors: (() => void)[] = [];
  const held = { is: true };
  const act = async (tool: string): Promise<string> => {
    begun.push(tool);
    // What a tool does may have happened before it answers.
    await (held.is ? new Promise<void>((resolve) => doors.push(resolve)) : sleep(3));
    effects.push(tool);
    return tool;
  };
  const app = await thinking((declared) => {
    const tool = { tool: true, scopes: ['write'], summary: 'Acts.' } as const;
    declared.post('/quick', { ...tool, toolName: 'quick' }, () => 'quick');
    declared.post('/slow', { ...tool, toolName: 'slow' }, () => act('slow'));
    declared.put('/again', { ...tool, toolName: 'again' }, () => act('again'));
    declared.post('/pay', { ...tool, toolName: 'pay', approval: 'required' }, () => act('pay'));
    const scopes = ['write'];
    declared.behaviour('one', { scopes, tools: ['quick', 'slow'] }, async (ctx) => {
      await ctx.call('quick');
      return ctx.call('slow');
    });
    declared.behaviour('keyed', { scopes, tools: ['again'] }, (ctx) => ctx.call('again'));
    declared.behaviour('order', { scopes, tools: ['pay'] }, (ctx) => ctx.call('pay'));
    declared.agent('clerk', { scopes, tools: ['slow'], description: 'Acts.' });
    declared.behaviour('boss', { scopes, tools: ['clerk'] }, (ctx) =>
      ctx.run('clerk', { input: '[[call slow {}]]' }),
    );
  });
  const told = async (id: string) => (await app.send(`/_svc/runs/${id}`)).value as never as Told;
  const newest = async (): Promise<string> => {
    const { runs } = (await app.send('/_svc/runs?limit=1')).value as never as { runs: Envelope[] };
    return runs[0]?.run_id ?? '';
  };
  const cancel = async (id: string) => (await app.send(`/_svc/runs/${id}/cancel`, {})).status;
  const letGo = (): void => {
    for (const open of doors.splice(0)) open();
  };
  /** Starts a behaviour, waits until its tool acts, and cancels it. @returns its run */
  const cut = async (behaviour: string) => {
    const seen = begun.length;
    const answer = app.send(`/behaviours/${behaviour}`, {});
    await expect.poll(() => begun.length).toBe(seen + 1);
    const id = await newest();
    expect(await cancel(id)).toBe(200);
    expect((await answer).status).toBe(409);
    letGo();
    await expect.poll(() => effects.length).toBe(seen + 1);
    return told(id);
  };
  /** Starts an order that waits for a human. */
  const order = async () => {
    const { value } = await app.send('/behaviours/order', {});
    const approval = value.pending_approvals?.[0]?.approval_id;
    return { id: value.run_id, approve: () => app.send(`/_svc/approvals/${approval}`, { approve: true }) };
  };
  return { effects, begun, held, told, cancel, letGo, cut, order };
}

describe('a run that is cancelled while a tool acts for it', () => {
  it('says in its journal that nobody knows whether it happened', async () => {
    verifies('run.cancel.outcome-unknown');
    const { cut } = await desk();
    const { status, steps, usage } = await cut('one');
    expect(status).toBe('cancelled');
    expect(steps).toMatchObject([{ tool: 'quick', result: 'quick' }, unknown('slow')]);
    expect(usage['tool_calls']).toBe(2);
  });

  it('says it of an agent inside, whose call it was', async () => {
    verifies('run.cancel.outcome-unknown');
    const { cut } = await desk();
    const { status, runs } = await cut('boss');
    expect([status, runs[0]?.status]).toEqual(['cancelled', 'cancelled']);
    expect(runs[0]?.steps.at(-1)).toMatchObject(unknown('slow'));
  });

  it('says nothing of a call that may be repeated, as after a crash', async () => {
    const { cut } = await desk();
    expect((await cut('keyed')).steps).toEqual([]);
  });
});

describe('a run that is cancelled when a human has just approved its call', () => {
  it('says that it may have happened', async () => {
    verifies('run.cancel.outcome-unknown');
    const { begun, told, cancel, letGo, order } = await desk();
    const { id, approve } = await order();
    const answer = approve();
    await expect.poll(() => begun).toEqual(['pay']);
    expect(await cancel(id)).toBe(200);
    letGo();
    expect((await answer).status).toBe(409);
    const { steps } = await told(id);
    expect(steps.map(({ kind }) => kind)).toEqual(['approval_requested', 'approval_decided', 'tool_call']);
    expect(steps[2]).toMatchObject(unknown('pay'));
  });

  it('has a step for each effect, whenever that was', async () => {
    verifies('run.cancel.outcome-unknown');
    const { begun, held, told, cancel, order } = await desk();
    held.is = false;
    for (let round = 0; round < 20; round++) {
      const seen = begun.length;
      const { id, approve } = await order();
      const answer = approve();
      await sleep(round / 2);
      const cancelled = await cancel(id);
      await answer;
      const { status, steps } = await told(id);
      expect(status).toBe(cancelled === 200 ? 'cancelled' : 'completed');
      const calls = steps.filter(({ kind }) => kind === 'tool_call');
      expect(calls.length).toBeLessThanOrEqual(1);
      if (begun.length > seen) expect(calls).toMatchObject([{ tool: 'pay' }]);
    }
  });
});
