import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type AgentSocket, keyOf, openAgentSocket, socketDesk, type Told } from './agent-socket.ts';
import { thinking } from './agents-application.ts';

async function opened(options: Parameters<typeof socketDesk>[0] = {}): Promise<AgentSocket> {
  const { url } = await socketDesk(options);
  return openAgentSocket(url, '/agents/clerk', keyOf());
}

async function refusal(socket: AgentSocket, message: unknown): Promise<Told> {
  socket.send(message);
  return socket.until('error');
}

describe('an upgrade of the route of an agent', () => {
  it('needs the scopes of the route, and a credential that is one', async () => {
    const { url } = await socketDesk();
    const open = (headers: object) => openAgentSocket(url, '/agents/boss', { ...headers });
    await expect(open({})).rejects.toThrow('401');
    await expect(open({ 'x-api-key': 'wrong-secret-of-more-than-16' })).rejects.toThrow('401');
    await expect(open(keyOf('CAT_KEY'))).rejects.toThrow('403');
  });

  it('is what a plain GET is asked for', async () => {
    verifies('http.status.426');
    const { send } = await socketDesk();
    const { status, value } = await send('/agents/clerk');
    expect([status, value.detail]).toEqual([426, 'this path is a WebSocket, and takes POST']);
  });

  it('is not there for behaviours and flows, nor for the answers of runs', async () => {
    const { url } = await socketDesk();
    await expect(openAgentSocket(url, '/agents/clerk/runs/x', keyOf())).rejects.toThrow('400');
  });
});

describe('a bad turn', () => {
  it.each([
    ['no JSON', '{"input":', { status: 400 }],
    ['no object', '[1]', { status: 400 }],
    ['two things', { input: 'a', run_id: 'b' }, { status: 400 }],
    ['a type of nobody', { type: 'turn', input: 'a' }, { status: 400 }],
    ['a run and more', { run_id: 'b', stream: true }, { status: 400 }],
    ['a step that is none', { run_id: 'b', last_seq: -1 }, { status: 400 }],
    ['a forbidden key', '{"input":"a","__proto__":{}}', { status: 400 }],
    ['nested too deep', `${'['.repeat(65)}${']'.repeat(65)}`, { status: 400 }],
    ['more values than a body may hold', { input: 'a', images: Array(100_000).fill(0) }, { status: 413 }],
    ['nothing to do', {}, { status: 422, errors: [{ path: '/input' }] }],
    ['a member too many', { input: 'a', inputs: 'b' }, { status: 422 }],
    ['an input of another type', { input: 1 }, { status: 422 }],
    ['a key of another type', { input: 'a', idempotency_key: 1 }, { status: 400 }],
    ['a key that is too long', { input: 'a', idempotency_key: 'k'.repeat(256) }, { status: 422 }],
    [
      'a picture that is none',
      { input: 'a', images: [{ media_type: 'image/png', data: 'AAAA' }] },
      { status: 422 },
    ],
  ])('%s is an error, and the socket stays', async (_, message, expected) => {
    verifies('agent.socket.error');
    verifies('agent.socket.either');
    const socket = await opened();
    const error = await refusal(socket, message);
    expect(error).toMatchObject({ type: 'error', message: expect.any(String), ...expected });
    socket.send({ input: '[[say Still here.]]' });
    expect(Object((await socket.until('result')).result).output).toBe('Still here.');
  });

  it('may be binary, which is no turn', async () => {
    const socket = await opened();
    socket.ws.send(Buffer.from('{"input":"a"}'));
    expect(await socket.until('error')).toMatchObject({ status: 400 });
  });

  it('is judged by the route: its words are those of a POST', async () => {
    const { url, send } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    for (const turn of [{ input: '' }, { input: 'a', session_id: '' }, { input: 'a', reset: 1 }]) {
      const error = await refusal(socket, turn);
      const { status, value } = await send('/agents/clerk', turn);
      expect([error['status'], error['message'], error['errors']]).toEqual([
        status,
        value.detail,
        value.errors,
      ]);
    }
  });
});

describe('the limits of a socket', () => {
  it('takes an input of 1 MiB, and tells of one byte more', async () => {
    const socket = await opened();
    const size = 1_048_576;
    const words = '[[say Read.]] ';
    socket.send({ input: words + 'x'.repeat(size - words.length) });
    expect(Object((await socket.until('result')).result).output).toBe('Read.');
    expect(await refusal(socket, { input: 'x'.repeat(size + 1) })).toMatchObject({ status: 422 });
    socket.send({ input: '[[say Next.]]' });
    expect(Object((await socket.until('result')).result).output).toBe('Next.');
  });

  it('holds eight turns in line, and refuses the ninth', async () => {
    verifies('agent.socket.line');
    const socket = await opened();
    socket.send({ input: '[[hang]]' });
    await socket.until('run');
    for (let n = 1; n <= 8; n++) socket.send({ input: `[[say ${n}]]` });
    const ninth = await refusal(socket, { input: '[[say 9]]', idempotency_key: 'ninth' });
    expect(ninth).toMatchObject({ status: 429, code: 'too_many_turns', idempotency_key: 'ninth' });
    socket.send({ type: 'cancel' });
    const outputs = [];
    for (let n = 0; n <= 8; n++) outputs.push(Object((await socket.until('result')).result).output);
    expect(outputs).toEqual(['', '1', '2', '3', '4', '5', '6', '7', '8']);
  });

  // Shorter ones are read when they come; from 64 KiB on a text is refused without being one.
  it.each([5_000, 65_000, 66_000, 500_000])('keeps turns of %i characters as they came', async (size) => {
    const socket = await opened();
    socket.send({ input: '[[hang]]' });
    await socket.until('run');
    const turn = (n: number): object => ({ input: `[[say ${n}]] ${'é'.repeat(size / 2)}` });
    for (let n = 1; n <= 8; n++) socket.send(turn(n));
    expect(await refusal(socket, turn(9))).toMatchObject({ status: 429, code: 'too_many_turns' });
    socket.send({ type: 'cancel' });
    const outputs = [];
    for (let n = 0; n <= 8; n++) outputs.push(Object((await socket.until('result')).result).output);
    expect(outputs).toEqual(['', '1', '2', '3', '4', '5', '6', '7', '8']);
  });

  it('closes a socket that sends 64 messages in a row that are none', async () => {
    const socket = await opened();
    for (let n = 0; n < 63; n++) socket.send('nonsense');
    socket.send({ input: '[[say Fine.]]' });
    await socket.until('result');
    for (let n = 0; n < 64; n++) socket.send('nonsense');
    expect(await socket.closed).toEqual({ code: 1008, reason: '64 messages in a row were refused' });
    expect(socket.told.filter(({ type }) => type === 'error').length).toBe(127);
  });

  it.each([
    ['cancels of nothing', [{ type: 'cancel' }]],
    ['cancels of what it does not tell, and nonsense', [{ type: 'cancel', run_id: 'other' }, 'nonsense']],
  ])('closes one that sends 64 %s', async (_, messages) => {
    const socket = await opened();
    for (let n = 0; n < 64; n++) socket.send(messages[n % messages.length]);
    expect(await socket.closed).toMatchObject({ code: 1008 });
    expect(socket.told.filter(({ type }) => type === 'error').length).toBe(64);
  });

  it('says nothing of a key that is longer than any', async () => {
    const { url } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/greeter');
    const error = await refusal(socket, { input: 'a', idempotency_key: 'k'.repeat(256) });
    const message = 'an idempotency key must have 1 to 255 characters';
    expect(error).toEqual({ type: 'error', message, status: 422 });
    socket.send({ input: '[[say Fine.]]', idempotency_key: 'k'.repeat(255) });
    expect(await socket.until('run')).toMatchObject({ idempotency_key: 'k'.repeat(255) });
  });

  it('charges each turn, and each run that is taken up', async () => {
    verifies('http.rate.turns');
    const app = await thinking((one) => {
      one.agent('clerk', {}).rateLimit(0.001, { burst: 3 });
    });
    const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    socket.send({ input: '[[say One.]]' });
    const { result } = await socket.until('result');
    socket.send({ run_id: Object(result).run_id });
    await socket.until('result');
    const error = await refusal(socket, { input: '[[say Two.]]' });
    expect(error).toMatchObject({ status: 429, retry_after: expect.any(Number) });
    expect(await refusal(socket, { run_id: Object(result).run_id })).toMatchObject({ status: 429 });
  });

  it('refuses what its caller has no room for, and has room again afterwards', async () => {
    const socket = await opened({ limits: { bodyBytesPerCaller: 100_000, bodyBytes: 200_000 } });
    const error = await refusal(socket, { input: 'x'.repeat(100_001) });
    expect(error).toMatchObject({ status: 503, retry_after: 1 });
    // Bytes, not characters.
    expect(await refusal(socket, { input: 'é'.repeat(60_000) })).toMatchObject({ status: 503 });
    for (let n = 0; n < 3; n++) {
      socket.send({ input: `[[say ${n}]] ${'x'.repeat(70_000)}` });
      expect(Object((await socket.until('result')).result).output).toBe(String(n));
    }
  });

  it('follows eight runs that wait, and works on when one of them has ended', async () => {
    const { url, send } = await socketDesk();
    const socket = await openAgentSocket(url, '/agents/clerk', keyOf());
    const waiting = [];
    for (let n = 0; n < 8; n++) {
      socket.send({ input: '[[call pay {}]] [[say Paid.]]' });
      waiting.push(await socket.until('waiting'));
    }
    socket.send({ input: '[[say Ninth.]]' });
    const [first] = waiting;
    const { approval_id: id } = Object(first?.['pending_approvals'])[0];
    expect(socket.told.at(-1)?.type).toBe('waiting');
    await send(`/_svc/approvals/${id}`, { approve: true, note: '' });
    expect(Object((await socket.until('result')).result).output).toBe('Paid.');
    expect(Object((await socket.until('result')).result).output).toBe('Ninth.');
  });
});
