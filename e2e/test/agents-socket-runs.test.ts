import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type AgentSocket, keyOf, kinds, openAgentSocket, socketDesk, type Told } from './agent-socket.ts';
import type { ThinkingApplication } from './agents-application.ts';

const paying = '[[call pay {}]] [[say Paid.]]';

async function approve(app: ThinkingApplication, waiting: Told): Promise<void> {
  const { approval_id: id } = Object(waiting['pending_approvals'])[0];
  expect((await app.send(`/_svc/approvals/${id}`, { approve: true, note: '' }, 'BEN_KEY')).status).toBe(200);
}

async function opened(agent = 'clerk'): Promise<{ app: ThinkingApplication; socket: AgentSocket }> {
  const app = await socketDesk();
  return { app, socket: await openAgentSocket(app.url, `/agents/${agent}`, keyOf()) };
}

const stepsOf = (told: readonly Told[]): readonly number[] =>
  told.filter(({ type }) => type === 'step').map(({ step }) => Object(step).seq as number);

describe('a turn whose run waits for a human', () => {
  it('says so, gives way to the next, and goes on over the same socket', async () => {
    verifies('agent.socket.waiting');
    const { app, socket } = await opened();
    socket.send({ input: paying });
    const waiting = await socket.until('waiting');
    expect(waiting).toMatchObject({ status: 'awaiting_approval', pending_approvals: [{ tool: 'pay' }] });
    socket.send({ input: '[[say Meanwhile.]]' });
    expect(Object((await socket.until('result')).result).output).toBe('Meanwhile.');
    await approve(app, waiting);
    const { result } = await socket.until('result');
    expect(result).toMatchObject({ run_id: waiting.run_id, status: 'completed', output: 'Paid.' });
    const own = socket.told.filter((one) => (one.run_id ?? Object(one['result']).run_id) === waiting.run_id);
    const before = ['run', 'model', 'approval_requested', 'waiting'];
    expect(kinds(own)).toEqual([...before, 'approval_decided', 'tool_call', 'model', 'result']);
    expect(stepsOf(own)).toEqual([...new Set(stepsOf(own))].sort((a, b) => a - b));
  });

  it('keeps a second turn of its session out, unless that begins anew', async () => {
    const { socket } = await opened();
    socket.send({ input: paying, session_id: 's' });
    const { run_id: runId } = await socket.until('waiting');
    socket.send({ input: 'And?', session_id: 's' });
    expect(await socket.until('error')).toMatchObject({
      status: 409,
      code: 'session_waits',
      run: { run_id: runId, pending_approvals: [{ tool: 'pay' }] },
    });
    socket.send({ input: '[[say Anew.]]', session_id: 's', reset: true });
    const results = [(await socket.until('result')).result, (await socket.until('result')).result];
    const byStatus = Object.fromEntries(results.map((one) => [Object(one).status, Object(one).run_id]));
    expect(byStatus).toEqual({ cancelled: runId, completed: expect.any(String) });
  });

  it('tells the steps of runs below it with their own ids', async () => {
    const { app, socket } = await opened('boss');
    socket.send({ input: `[[call clerk {"input": ${JSON.stringify(paying)}}]] [[say Done.]]` });
    const waiting = await socket.until('waiting');
    await approve(app, waiting);
    const { result } = await socket.until('result');
    expect(Object(result).output).toBe('Done.');
    const agents = socket.told.filter(({ type }) => type === 'step').map(({ agent }) => agent);
    expect(new Set(agents)).toEqual(new Set(['boss', 'clerk']));
    for (const { type, run_id: runId, step } of socket.told)
      if (type === 'step') {
        expect(runId).toBe(Object(step).run_id);
        expect(runId?.split('.')[0]).toBe(waiting.run_id);
      }
  });

  it('ends for a caller without a name, who could never ask for it', async () => {
    const app = await socketDesk();
    const socket = await openAgentSocket(app.url, '/agents/greeter');
    socket.send({ input: '[[error 503 times=9]] [[say Late.]]' });
    const waiting = await socket.until('waiting');
    expect(waiting).toMatchObject({ status: 'waiting_provider', waits: [{ provider: 'simulator' }] });
    expect((await socket.until('result')).result).toMatchObject({ status: 'waiting_provider' });
  });
});

describe('a run that is taken up', () => {
  it('is told behind the step that was seen last, wherever it was begun, each step once', async () => {
    verifies('agent.socket.resume');
    const { app, socket } = await opened();
    const { value } = await app.ask('clerk', paying);
    socket.send({ run_id: value.run_id });
    const waiting = await socket.until('waiting');
    const seen = stepsOf(socket.told);
    socket.ws.terminate();
    await approve(app, waiting);
    const second = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    second.send({ run_id: value.run_id, last_seq: seen.at(-1) });
    const { result } = await second.until('result');
    expect(Object(result).output).toBe('Paid.');
    const all = [...seen, ...stepsOf(second.told)];
    expect(all).toEqual(Object(result).steps.map(({ seq }: { seq: number }) => seq));
    expect(second.told[1]).toEqual({
      ...{ type: 'run', run_id: value.run_id, location: `/agents/clerk/runs/${value.run_id}` },
    });
  });

  it('is the same error for a run of somebody else, of another agent, a part of one, and one that never was', async () => {
    verifies('agent.socket.own');
    const app = await socketDesk();
    const { value } = await app.ask('clerk', '[[say Mine.]]');
    const { value: other } = await app.ask('boss', '[[say Mine.]]');
    const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf('BEN_KEY'));
    for (const runId of [value.run_id, other.run_id, `${value.run_id}.1`, 'nothing']) {
      socket.send({ run_id: runId });
      const message = `no run ${runId}`;
      expect(await socket.until('error')).toEqual({ type: 'error', message, status: 404, run_id: runId });
    }
  });

  it('is told once on one socket', async () => {
    const { socket } = await opened();
    socket.send({ input: paying });
    const { run_id: runId } = await socket.until('waiting');
    socket.send({ run_id: runId });
    expect(await socket.until('error')).toMatchObject({ status: 409 });
  });
});

describe('a turn that has a key', () => {
  it('runs once, however often it is sent, and each is told all of it', async () => {
    verifies('agent.socket.key');
    const { app, socket } = await opened();
    const turn = {
      input: '[[latency 30]] [[call look {}]] [[say Once.]]',
      idempotency_key: 'k',
      session_id: 's',
    };
    socket.send(turn);
    const begun = await socket.until('run');
    expect(begun['idempotency_key']).toBe('k');
    const second = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    second.send(turn);
    const [one, two] = [(await socket.until('result')).result, (await second.until('result')).result];
    expect(two).toEqual(one);
    expect(second.told).toEqual(socket.told);
    expect(app.simulator.requests.length).toBe(2);
    second.send({ ...turn, input: 'Something else.' });
    expect(await second.until('error')).toMatchObject({ status: 422, idempotency_key: 'k' });
  });
});

describe('a cancel', () => {
  it('ends the turn under way, whose result says so', async () => {
    verifies('agent.socket.cancel');
    const { socket } = await opened();
    socket.send({ input: '[[hang]]' });
    await socket.until('run');
    socket.send({ type: 'cancel' });
    expect((await socket.until('result')).result).toMatchObject({ status: 'cancelled' });
    socket.send({ input: '[[say Next.]]' });
    expect(Object((await socket.until('result')).result).output).toBe('Next.');
  });

  it('ends a run that is told to a second socket by its key, on both', async () => {
    const { app, socket } = await opened();
    const turn = { input: '[[hang]]', idempotency_key: 'k' };
    socket.send(turn);
    await socket.until('run');
    const second = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    second.send(turn);
    await second.until('run');
    second.send({ type: 'cancel' });
    for (const one of [second, socket])
      expect((await one.until('result')).result).toMatchObject({ status: 'cancelled' });
  });

  it('ends that of a caller without a name, too', async () => {
    const app = await socketDesk();
    const socket = await openAgentSocket(app.url, '/agents/greeter');
    socket.send({ input: '[[hang]]' });
    await socket.until('run');
    socket.send({ type: 'cancel' });
    expect((await socket.until('result')).result).toMatchObject({ status: 'cancelled' });
  });

  it('ends a run that waits, and one that is named', async () => {
    const { socket } = await opened();
    for (const named of [false, true]) {
      socket.send({ input: paying });
      const { run_id: runId } = await socket.until('waiting');
      socket.send({ type: 'cancel', ...(named && { run_id: runId }) });
      expect((await socket.until('result')).result).toMatchObject({ run_id: runId, status: 'cancelled' });
    }
  });

  it('ends a turn that waits for another of its session, which has not begun', async () => {
    const { app, socket } = await opened();
    const other = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    other.send({ input: '[[hang]]', session_id: 's' });
    await other.until('run');
    socket.send({ input: 'Hello?', session_id: 's', idempotency_key: 'k' });
    socket.send({ type: 'cancel' });
    expect(await socket.until('error')).toMatchObject({
      status: 409,
      code: 'cancelled',
      idempotency_key: 'k',
    });
    other.send({ type: 'cancel' });
    await other.until('result');
  });

  it('is an error where there is nothing to end', async () => {
    const { socket } = await opened();
    socket.send({ type: 'cancel' });
    expect(await socket.until('error')).toMatchObject({ status: 404, message: 'no turn is under way' });
    socket.send({ type: 'cancel', run_id: 'other' });
    expect(await socket.until('error')).toMatchObject({ status: 404 });
  });

  it('is not what closing a socket means', async () => {
    const { app, socket } = await opened();
    socket.send({ input: '[[latency 50]] [[say Still here.]]' });
    const { run_id: runId } = await socket.until('run');
    socket.ws.terminate();
    await socket.closed;
    await expect
      .poll(async () => (await app.send(`/agents/clerk/runs/${runId}`)).value.output)
      .toBe('Still here.');
  });
});
