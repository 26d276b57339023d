import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toClient } from '../src/index.ts';
import { deskTable } from './desk-table.ts';
import { makeProject, type Project } from './generated.ts';

type Events = AsyncIterableIterator<{ readonly type: string; readonly [member: string]: unknown }>;

/** What these tests use of a generated client; the types themselves are the subject of another test. */
interface Runs {
  run(input: object, options?: object): Promise<unknown>;
  stream(input: object, options?: object): Events;
  answer(runId: string): Promise<unknown>;
  follow(runId: string, options?: object): Events;
}
interface Generated {
  readonly agents: { readonly support: Runs };
  readonly behaviours: { readonly sweep: Runs & ((input?: object) => Promise<unknown>) };
  readonly flows: { readonly triage: Runs };
}

let project: Project;
let createClient: (options: object) => Generated;
beforeAll(async () => {
  project = await makeProject(toClient(deskTable(), { title: 'Desk' }));
  ({ createClient } = (await project.load('client.ts')) as { createClient: typeof createClient });
});
afterAll(() => project.remove());

/** Events on their way: texts, then the end of the stream, or the error that breaks it. */
type Answer = Response | readonly (string | Error)[];

/** A client of a service that answers in this order, and what it was asked. */
function connected(...answers: readonly Answer[]) {
  const asked: {
    readonly method: string;
    readonly path: string;
    readonly after: string | null;
    readonly body: string;
  }[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const answer = answers[asked.length] ?? problem(500, 'asked too often');
    asked.push({
      method: request.method,
      path: new URL(request.url).pathname,
      after: request.headers.get('last-event-id'),
      body: await request.text(),
    });
    return answer instanceof Response ? answer : toStream(answer);
  };
  return { ...createClient({ baseUrl: 'https://desk.example', fetch }), asked };
}

function toStream(pieces: readonly (string | Error)[]): Response {
  const left = [...pieces];
  const stream = new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else if (typeof next === 'string') controller.enqueue(new TextEncoder().encode(next));
      else controller.error(next);
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

function problem(status: number, detail: string, more: object = {}): Response {
  return new Response(JSON.stringify({ status, detail, ...more }), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}

const json = (body: unknown, status = 200): Response => Response.json(body, { status });
const step = (seq: number, run = 'r1'): string =>
  `id: r1/${seq}\nevent: step\ndata: ${JSON.stringify({ seq, kind: 'model', run_id: run, agent: 'support' })}\n\n`;
const end = (event: 'result' | 'error', data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const begun = { run_id: 'r1', location: '/agents/support/runs/r1' };
const named = `event: run\ndata: ${JSON.stringify(begun)}\n\n`;
const text = (piece: string, more: object = {}): string =>
  `event: delta\ndata: ${JSON.stringify({ run_id: 'r1', agent: 'support', text: piece, ...more })}\n\n`;
const done = end('result', { status: 200, body: { status: 'completed', output: 'Done.' } });
const broken = new TypeError('terminated');

/** What was told, step by their numbers, and how it ended. */
async function heard(events: Events) {
  const told: unknown[] = [];
  try {
    for await (const { type, ...event } of events) {
      if (type === 'step') told.push((event['step'] as { readonly seq: number }).seq);
      else told.push(type === 'result' ? event['result'] : event);
    }
  } catch (error) {
    return { told, error };
  }
  return { told };
}

const result = { status: 'completed', output: 'Done.' };

/** Does something whose pauses take no time, and says how long they would have been. */
async function withoutPauses<T>(work: () => Promise<T>) {
  const pauses: number[] = [];
  const waiting = vi.spyOn(globalThis, 'setTimeout');
  waiting.mockImplementation(((task: () => void, ms: number) => {
    if (ms >= 250) pauses.push(ms);
    return setImmediate(task);
  }) as unknown as typeof globalThis.setTimeout);
  try {
    return { value: await work(), pauses };
  } finally {
    waiting.mockRestore();
  }
}

describe('the runs of an agent', () => {
  it('are started with what it takes, and answered with the result', async () => {
    verifies('client.agents');
    const { agents, asked } = connected(json(result), json(result));
    expect(await agents.support.run({ input: 'Hi.', session_id: 's' })).toEqual(result);
    expect(asked).toEqual([
      { method: 'POST', path: '/agents/support', after: null, body: '{"input":"Hi.","session_id":"s"}' },
    ]);
    expect(await agents.support.answer('01ABC')).toEqual(result);
    expect(asked[1]).toMatchObject({ method: 'GET', path: '/agents/support/runs/01ABC' });
  });

  it('are results while they wait for a human, and problems when they failed', async () => {
    verifies('client.agents', 'client.problem-error');
    const waiting = { run_id: 'r1', status: 'awaiting_approval' };
    const run = { run_id: 'r2', status: 'failed' };
    const { agents } = connected(json(waiting, 202), json(waiting, 202), problem(502, 'no answer', { run }));
    expect(await agents.support.run({ input: 'Sell.' })).toEqual(waiting);
    expect(await agents.support.answer('r1')).toEqual(waiting);
    await expect(agents.support.run({ input: 'Hi.' })).rejects.toMatchObject({ status: 502, run });
  });

  it('are told as they happen', async () => {
    verifies('client.agents');
    const delta = 'event: delta\ndata: {"run_id":"r1","agent":"support","text":"Do"}\n\n';
    const unknown = 'event: weather\ndata: {"sunny":true}\n\n';
    const { agents, asked } = connected([':\n\n', step(1), delta, unknown, step(3), done]);
    const events: unknown[] = [];
    for await (const event of agents.support.stream({ input: 'Hi.', stream: true })) events.push(event);
    expect(events).toEqual([
      { type: 'step', run_id: 'r1', agent: 'support', step: expect.objectContaining({ seq: 1 }) as unknown },
      { type: 'delta', run_id: 'r1', agent: 'support', text: 'Do' },
      { type: 'step', run_id: 'r1', agent: 'support', step: expect.objectContaining({ seq: 3 }) as unknown },
      { type: 'result', result },
    ]);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['breaks', [step(1), step(2, 'r1.1'), broken]],
    ['ends without a result', [step(1), step(2, 'r1.1')]],
    ['ends in the middle of an event', [step(1), step(2, 'r1.1'), 'id: r1/3\nevent: st']],
    [
      'is told that the service stops',
      [step(1), step(2, 'r1.1'), end('error', { status: 503, detail: 'stopping' })],
    ],
  ])('go on behind the last step where the connection %s', async (_, first) => {
    verifies('client.agents');
    const { agents, asked } = connected(first, [step(3), done]);
    expect(await heard(agents.support.stream({ input: 'Hi.' }))).toEqual({ told: [1, 2, 3, result] });
    // Steps of runs below it have longer ids.
    expect(asked[1]).toEqual({ method: 'GET', path: '/agents/support/runs/r1', after: 'r1/2', body: '' });
    expect(asked).toHaveLength(2);
  });

  it('go on where the connection breaks before the first step, since they are named at once', async () => {
    verifies('client.agents');
    const { agents, asked } = connected(
      [named, broken],
      [named, text('Do', { restart: true }), step(1), done],
    );
    expect(await heard(agents.support.stream({ input: 'Hi.' }))).toEqual({
      told: [begun, begun, { run_id: 'r1', agent: 'support', text: 'Do', restart: true }, 1, result],
    });
    expect(asked.map(({ method, path, after }) => [method, path, after])).toEqual([
      ['POST', '/agents/support', null],
      ['GET', '/agents/support/runs/r1', 'r1/0'],
    ]);
  });

  it('end with the connection where nobody may ask for them again', async () => {
    const nobodys = 'event: run\ndata: {"run_id":"r1"}\n\n';
    const { agents, asked } = connected([nobodys, step(1), broken], [done]);
    expect(await heard(agents.support.stream({ input: 'Hi.' }))).toEqual({
      told: [{ run_id: 'r1' }, 1],
      error: broken,
    });
    expect(asked).toHaveLength(1);
  });

  it('say what they wait for to those who follow them beyond that', async () => {
    const waits = { run_id: 'r1', pending_approvals: [{ approval_id: 'a1', tool: 'pay' }] };
    const event = `event: waiting\ndata: ${JSON.stringify(waits)}\n\n`;
    const { agents } = connected([named, step(1), event, step(2), done]);
    expect(await heard(agents.support.follow('r1'))).toEqual({ told: [begun, 1, waits, 2, result] });
  });

  it('are never started twice: a break before they are named is an error', async () => {
    verifies('client.agents');
    const { agents, asked } = connected([':\n\n', broken], [done]);
    expect(await heard(agents.support.stream({ input: 'Hi.' }))).toEqual({ told: [], error: broken });
    expect(asked).toHaveLength(1);
  });

  it('are given up after the sixth connection in a row that brings nothing', async () => {
    const nothing = Array<Answer>(6).fill([broken]);
    const { agents, asked } = connected([step(1), broken], ...nothing, [step(2), done]);
    const { value, pauses } = await withoutPauses(() => heard(agents.support.stream({ input: 'Hi.' })));
    expect(value).toEqual({ told: [1], error: broken });
    expect(asked).toHaveLength(7);
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000]);
  });

  it('are read to their end over any number of connections, as long as each brings a step', async () => {
    const steps = Array.from({ length: 9 }, (_, i): Answer => [step(i + 1), broken]);
    const { agents } = connected(...steps, [done]);
    const { value, pauses } = await withoutPauses(() => heard(agents.support.stream({ input: 'Hi.' })));
    expect(value).toEqual({ told: [1, 2, 3, 4, 5, 6, 7, 8, 9, result] });
    expect(new Set(pauses)).toEqual(new Set([250]));
  });

  it('are followed for as long as a human takes', async () => {
    verifies('client.agents');
    const late: Answer = [end('error', { status: 504, detail: 'timed out after 30 s', code: 'timeout' })];
    const { agents, asked } = connected(...Array<Answer>(9).fill(late), [done]);
    const { value } = await withoutPauses(() => heard(agents.support.follow('r1')));
    expect(value).toEqual({ told: [result] });
    expect(asked).toHaveLength(10);
  });

  it('that failed end with their problem', async () => {
    verifies('client.problem-error');
    const failed = end('error', {
      status: 504,
      detail: 'timed out',
      code: 'timeout',
      run: { status: 'failed' },
    });
    const { agents, asked } = connected([step(1), failed]);
    expect(await heard(agents.support.stream({ input: 'Hi.' }))).toMatchObject({
      told: [1],
      error: { status: 504, code: 'timeout', run: { status: 'failed' } },
    });
    expect(asked).toHaveLength(1);
  });

  it('that are refused before the first event say why', async () => {
    const { agents } = connected(problem(403, 'missing scope'));
    expect(await heard(agents.support.stream({ input: 'Hi.' }))).toMatchObject({
      told: [],
      error: { status: 403, detail: 'missing scope' },
    });
  });

  it('can be followed from a step on, for as long as they wait', async () => {
    verifies('client.agents');
    const late = end('error', { status: 504, detail: 'timed out after 30 s', code: 'timeout' });
    const { agents, asked } = connected([step(5), late], [late], [step(6), done]);
    expect(await heard(agents.support.follow('r1', { lastSeq: 4 }))).toEqual({ told: [5, 6, result] });
    expect(asked.map(({ path, after }) => [path, after])).toEqual([
      ['/agents/support/runs/r1', 'r1/4'],
      ['/agents/support/runs/r1', 'r1/5'],
      ['/agents/support/runs/r1', 'r1/5'],
    ]);
  });

  it('can be asked for by any id: which of them there are, the service says', async () => {
    const { agents, asked } = connected(problem(404, 'no such run'));
    const { error } = await heard(agents.support.follow('é/€\n'));
    expect(error).toMatchObject({ status: 404 });
    expect(asked.map(({ after }) => after)).toEqual(['%C3%A9%2F%E2%82%AC%0A/0']);
  });

  it.each([
    [null, {}, '"run_id" cannot be null in a path'],
    ['..', {}, '"run_id" cannot be ".." in a path'],
    ['r1', { lastSeq: null }, '"lastSeq" cannot be null in a header'],
  ])(
    'are not asked for, not even later, with what no request can hold: %s %o',
    async (id, options, message) => {
      const { agents, asked } = connected();
      const error = await agents.support
        .follow(id as string, options)
        .next()
        .catch((reason: unknown) => reason);
      expect(error).toEqual(new TypeError(message));
      expect(asked).toEqual([]);
    },
  );

  it('are let go of by whoever stops reading, and by the signal', async () => {
    const { agents, asked } = connected([step(1), step(2), done], [step(1), broken]);
    for await (const { type } of agents.support.stream({ input: 'Hi.' })) {
      expect(type).toBe('step');
      break;
    }
    expect(asked).toHaveLength(1);
    const given = new AbortController();
    const reason = new Error('enough');
    const events = agents.support.stream({ input: 'Hi.' }, { signal: given.signal });
    await events.next();
    given.abort(reason);
    await expect(events.next()).rejects.toThrow();
    expect(asked).toHaveLength(2);
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  it('of a service that answers at once are a result alone', async () => {
    const { agents } = connected(json(result));
    expect(await heard(agents.support.stream({ input: 'Hi.' }))).toEqual({ told: [result] });
  });
});

describe('a behaviour', () => {
  it('is called as a function is, and has what runs have', async () => {
    verifies('client.agents');
    const { behaviours, asked } = connected(json({ closed: 3 }), json({ closed: 4 }), [step(1), done]);
    expect(await behaviours.sweep()).toEqual({ closed: 3 });
    expect(asked[0]).toMatchObject({ method: 'POST', path: '/behaviours/sweep', body: '{}' });
    expect(await behaviours.sweep.answer('r1')).toEqual({ closed: 4 });
    expect(await heard(behaviours.sweep.stream({ days: 1 }))).toEqual({ told: [1, result] });
  });
});

describe('a flow', () => {
  it('is run and streamed as an agent is', async () => {
    verifies('client.agents');
    const { flows, asked } = connected(json(result), [step(1), done]);
    expect(await flows.triage.run({ input: 'It burns.', more: 1 })).toEqual(result);
    expect(await heard(flows.triage.stream({ input: 'It burns.' }))).toEqual({ told: [1, result] });
    expect(asked.map(({ path, body }) => [path, body])).toEqual([
      ['/flows/triage', '{"input":"It burns.","more":1}'],
      ['/flows/triage', '{"input":"It burns."}'],
    ]);
  });
});
