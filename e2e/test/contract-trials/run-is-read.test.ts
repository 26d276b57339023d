/** What others see of a run: the answer at its place, its steps from any point on, its deadline, its uses in the audit log. */
import type { HTTPError, Principal, Progress, RouteResponse } from '@waymark/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTrial, desk, human, json, onlyApproval, refundOnce, start } from './runs/create-trial.ts';
import { toRootId } from './runs/stored-run.ts';
import { call } from './runs/trial-engines.ts';

const yes = { approve: true, note: '', by: human };
const stranger: Principal = { ...desk, id: 'other', rootId: 'other' };

type Trial = Awaited<ReturnType<typeof createTrial>>;

/** A flow that waits. */
async function waiting(): Promise<Trial & { readonly rootId: string; readonly approvalId: string }> {
  const trial = await createTrial(refundOnce);
  await start(trial.dispatcher, trial.flow);
  const approvalId = onlyApproval(trial.runner);
  return { ...trial, approvalId, rootId: toRootId(approvalId) };
}

/** Follows to the end. */
async function follow(
  { runner, rootId, flow }: Pick<Trial, 'runner' | 'flow'> & { readonly rootId: string },
  lastSeq = 0,
) {
  const events: Progress[] = [];
  for await (const event of runner.follow(rootId, flow.name, lastSeq, desk, new AbortController().signal))
    events.push(event);
  return events;
}

describe('the answer of a run', () => {
  it('is 202 while it waits, and asking for it runs nothing', async () => {
    const { runner, rootId, flow } = await waiting();
    const before = runner.trace.length;
    const response = await runner.read(rootId, flow.name, desk);
    expect([response.status, json(response)]).toMatchObject([
      202,
      { run_id: rootId, status: 'awaiting_approval' },
    ]);
    expect(runner.trace).toHaveLength(before);
  });

  it('is 202 while it works, and then what the call would have been answered', async () => {
    const { runner, rootId, approvalId, flow, refunds } = await waiting();
    const decided = runner.decide(approvalId, yes);
    await Promise.resolve();
    const meanwhile = await runner.read(rootId, flow.name, desk);
    expect([meanwhile.status, json(meanwhile)]).toEqual([202, { run_id: rootId, status: 'running' }]);
    const answer = json(await decided);
    expect(json(await runner.read(rootId, flow.name, desk))).toEqual(answer);
    expect(refunds()).toHaveLength(1);
  });

  it('is nobody else’s, and not to be had from another route', async () => {
    const { runner, rootId, flow, agent } = await waiting();
    expect((await runner.read(rootId, flow.name, stranger)).status).toBe(404);
    expect((await runner.read(rootId, agent.name, desk)).status).toBe(404);
  });

  it('is where the 202 says', async () => {
    const { dispatcher, rootId } = await waiting();
    const match = dispatcher.match('GET', `/flows/intake/runs/${rootId}`, false);
    if (!match.found) throw new Error(`${match.status}`);
    const response = await dispatcher.dispatch({
      route: match.route,
      input: { by: 'arguments', values: match.params },
      principal: desk,
      via: 'http',
      requestId: 'r2',
    });
    expect(response.status).toBe(202);
  });
});

describe('the events of a run', () => {
  it('are those after a place, whoever made them, and the result is the last one', async () => {
    const trial = await waiting();
    const all = follow(trial);
    await trial.runner.decide(trial.approvalId, yes);
    const events = await all;
    expect(events.map(({ event }) => event)).toEqual([...Array(events.length - 1).fill('step'), 'result']);
    expect(events.at(-1)?.data).toMatchObject({ ok: true, value: { refund: { refunded: 500 } } });
    const ids = events.flatMap(({ id }) => id ?? []);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(events.length - 1);
    expect(await follow(trial, ids[2])).toEqual(events.slice(3));
  });

  it('are told live to the one who called, once', async () => {
    const seen: number[] = [];
    const { dispatcher, flow, runner } = await createTrial(refundOnce);
    await dispatcher.dispatch({
      route: flow,
      input: { by: 'arguments', values: { input: 'x' } },
      principal: desk,
      via: 'http',
      requestId: 'r1',
      observe: ({ id }) => seen.push(id ?? 0),
    });
    const rootId = toRootId(onlyApproval(runner));
    await runner.decide(onlyApproval(runner), yes);
    const ids = (await follow({ runner, rootId, flow })).flatMap(({ id }) => id ?? []);
    expect(seen).toEqual(ids.slice(0, seen.length));
    expect(seen).toHaveLength(4);
  });

  it('are nobody else’s', async () => {
    const { runner, rootId, flow } = await waiting();
    const others = runner.follow(rootId, flow.name, 0, stranger, new AbortController().signal);
    await expect(others[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 404 });
  });
});

describe('a run beyond its deadline', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ends with 504 and the run, tells its tools to stop, and keeps no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    let stopped: HTTPError | undefined;
    const { dispatcher, agent } = await createTrial(
      (_, scope) =>
        new Promise(() => {
          scope.signal.addEventListener('abort', () => {
            stopped = scope.signal.reason as HTTPError;
          });
          vi.advanceTimersByTime(600_000);
        }),
    );
    const response = await start(dispatcher, agent);
    expect(response).toMatchObject({
      status: 504,
      body: { code: 'timeout', detail: 'timed out after 600 s', run: { status: 'failed' } },
    });
    expect(stopped).toMatchObject({ status: 504 });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a decision', () => {
  it('is for those who may decide', async () => {
    const { runner, approvalId, refunds } = await waiting();
    await expect(runner.decide(approvalId, { ...yes, by: desk })).rejects.toMatchObject({ status: 403 });
    expect(refunds()).toEqual([]);
    expect((await runner.decide(approvalId, yes)).status).toBe(200);
  });

  it('is asked for with the reason the driver had', async () => {
    const { dispatcher, agent, runner } = await createTrial(async (context, scope) => {
      await call(context, scope, 'refund', { cents: 1 }, { reason: 'the parcel was empty' });
      return null;
    });
    await start(dispatcher, agent);
    expect(runner.approvals.all).toMatchObject([{ reason: 'the parcel was empty' }]);
  });
});

describe('the audit log', () => {
  const uses = ({ events }: Trial) => events.map(({ kind, route, status }) => [kind, route, status]);

  it('has each use of a tool once, though the run ran twice', async () => {
    const trial = await waiting();
    await trial.runner.decide(trial.approvalId, yes);
    expect(uses(trial)).toEqual([
      ['tool_called', 'lookup', 200],
      ['tool_called', 'weigh', 200],
      ['tool_called', 'lookup', 200],
      ['tool_called', 'intake', 202],
      ['tool_called', 'refund', 200],
      ['tool_called', 'clerk', 200],
    ]);
  });

  it('has a no of a human as a refusal', async () => {
    const trial = await waiting();
    const answer: RouteResponse = await trial.runner.decide(trial.approvalId, { ...yes, approve: false });
    expect(answer.status).toBe(200);
    expect(uses(trial)).toContainEqual(['tool_refused', 'refund', 403]);
  });
});
