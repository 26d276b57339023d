import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { keyOf, kinds, openAgentSocket, socketDesk } from './agent-socket.ts';
import { callers, messagesOf } from './agents-application.ts';

describe('a turn over the socket of an agent', () => {
  it('is told step by step and ends with one result, and the socket takes the next', async () => {
    verifies('endpoint.agent.upgrade');
    verifies('agent.socket.ready');
    verifies('agent.socket.turn');
    verifies('agent.socket.step');
    verifies('agent.socket.result');
    verifies('agent.socket.stays');
    verifies('agent.socket.one-result');
    verifies('event.emit.turn');
    const { url, send } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    socket.send({ input: '[[call look {}]] [[say It is there.]]', session_id: 's' });
    const { result } = await socket.until('result');
    expect(kinds(socket.told)).toEqual(['ready', 'run', 'model', 'tool_call', 'model', 'result']);
    expect(socket.told[0]).toEqual({ type: 'ready', agent: 'clerk', authenticated: true });
    const runId = Object(result).run_id;
    expect(socket.told[1]).toEqual({ type: 'run', run_id: runId, location: `/agents/clerk/runs/${runId}` });
    const step = socket.told[3];
    expect(step).toMatchObject({ run_id: runId, agent: 'clerk', step: { tool: 'look', result: 'seen' } });
    expect(result).toEqual((await send(`/agents/clerk/runs/${runId}`)).value);
    expect(result).toMatchObject({ status: 'completed', output: 'It is there.', session_id: 's' });
    socket.send({ input: '[[echo messages]]', session_id: 's' });
    expect(Object((await socket.until('result')).result).output).toContain('It is there.');
  });

  it('is told its text as it is written, where it asks for that', async () => {
    verifies('agent.socket.delta');
    const { url } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    const input = '[[pace 5]] [[say Word by word by word by word.]]';
    socket.send({ input, stream: true });
    const { result } = await socket.until('result');
    const deltas = socket.told.filter(({ type }) => type === 'delta');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ text = '' }) => text).join('')).toBe(Object(result).output);
    socket.send({ input });
    await socket.until('result');
    expect(socket.told.filter(({ type }) => type === 'delta').length).toBe(deltas.length);
  });

  it('shows the model its pictures, as those by POST and with events', async () => {
    verifies('image.input.doors');
    const app = await socketDesk();
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const turn = { input: '[[images]]', images: [{ media_type: 'image/png', data }] };
    const posted = await app.ask('clerk', turn);
    const streamed = await app.send('/agents/clerk', turn, 'ANN_KEY', { accept: 'text/event-stream' });
    const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    socket.send(turn);
    const { result } = await socket.until('result');
    expect(posted.value.output).toContain('image/png');
    expect(streamed.text).toContain(JSON.stringify(posted.value.output));
    expect(Object(result).output).toBe(posted.value.output);
    for (const n of [0, 1, 2]) expect(JSON.stringify(messagesOf(app.simulator, n))).toContain(data);
    expect(JSON.stringify(socket.told)).not.toContain(data);
  });

  it.each([4_095, 4_096, 4_097, 65_537])('may be a message of %i characters', async (length) => {
    const { url } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    const around = JSON.stringify({ input: '[[say Read.]]' }).length;
    socket.send({ input: `[[say Read.]]${' '.repeat(length - around)}` });
    expect(Object((await socket.until('result')).result)).toMatchObject({ output: 'Read.' });
  });

  it('goes on with its session, or begins it anew', async () => {
    const { url } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    const heard = async (turn: object): Promise<string> => {
      socket.send({ input: '[[echo messages]]', session_id: 's', ...turn });
      return String(Object((await socket.until('result')).result).output);
    };
    socket.send({ input: '[[say First.]]', session_id: 's' });
    await socket.until('result');
    expect(await heard({})).toContain('First.');
    expect(await heard({ session_id: 'other' })).not.toContain('First.');
    expect(await heard({ reset: true })).not.toContain('First.');
  });

  it('can be followed by whoever knows the specification alone', async () => {
    verifies('aside.extensions-add');
    verifies('aside.socket.extra-messages');
    const { url } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    socket.send({ input: '[[call pay {}]] & [[call look {}]] [[say Done.]]' });
    await socket.until('waiting');
    socket.send({ input: '[[call look {}]] [[say Seen.]]', session_id: 's', reset: true });
    await socket.until('result');
    socket.send('nonsense');
    await socket.until('error');
    const extras = ['ready', 'run', 'waiting', 'delta', 'error'];
    const specified = socket.told.filter(({ type }) => !extras.includes(type));
    for (const message of specified)
      expect(Object.keys(message)).toEqual(
        message.type === 'step' ? ['type', 'run_id', 'agent', 'step'] : ['type', 'result'],
      );
    const last = specified.slice(-4);
    expect(last.map(({ type }) => type)).toEqual(['step', 'step', 'step', 'result']);
  });

  it('stands in line: one after the other', async () => {
    const { url } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    for (const n of [1, 2, 3]) socket.send({ input: `[[latency ${40 - 10 * n}]] [[say ${n}]]` });
    const outputs = [];
    for (let n = 0; n < 3; n++) outputs.push(Object((await socket.until('result')).result).output);
    expect(outputs).toEqual(['1', '2', '3']);
    expect(kinds(socket.told)).toEqual(['ready', ...Array(3).fill(['run', 'model', 'result']).flat()]);
  });

  it('tells a failed run as its result, and why', async () => {
    const { url, send } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    socket.send({ input: '[[error 400 message="no such thing"]]' });
    const { result, problem } = await socket.until('result');
    expect(result).toMatchObject({ status: 'failed', agent: 'clerk' });
    expect(problem).toMatchObject({ status: 502, detail: expect.stringContaining('refused the request') });
    const later = await send(`/agents/clerk/runs/${Object(result).run_id}`);
    expect(later.status).toBe(502);
    expect(Object(later.value).run).toEqual(result);
    // Taken up it comes to the same.
    socket.send({ run_id: Object(result).run_id, last_seq: 100 });
    expect(await socket.until('result')).toEqual({ type: 'result', result, problem });
  });

  it('is that of a caller without a name, who can take up nothing', async () => {
    const { url } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/greeter');
    socket.send({ input: '[[say Welcome.]]', idempotency_key: 'k' });
    const begun = await socket.until('run');
    expect(begun).toEqual({ type: 'run', run_id: expect.any(String), idempotency_key: 'k' });
    expect(Object((await socket.until('result')).result).output).toBe('Welcome.');
    socket.send({ run_id: begun.run_id });
    const refused = { type: 'error', message: `no run ${begun.run_id}`, status: 404, run_id: begun.run_id };
    expect(await socket.until('error')).toEqual(refused);
  });

  it('takes a key in the query, as sockets of browsers must give it', async () => {
    const { url } = await socketDesk();
    const socket = await openAgentSocket(url, `/agents/clerk?access_token=${callers.ANN_KEY}`);
    socket.send({ input: '[[say Yes.]]' });
    expect(Object((await socket.until('result')).result).output).toBe('Yes.');
  });
});
