import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deskClient, readAll, result, run, sentOver, step, waiting } from './agent-project.ts';
import { refusal } from './device-project.ts';
import type { ScriptedSocket } from './scripted-socket.ts';
import { states } from './states.ts';

const connect = deskClient();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Longer than any pause. */
const longMs = 15_000;

/** A conversation that is read all the time, over a first socket that is open. */
async function opened({
  client = {},
  read = true,
}: {
  readonly client?: object;
  readonly read?: boolean;
} = {}) {
  const { open, network } = connect(client);
  const { onState, seen } = states();
  const chat = open({ onState });
  const reading = read ? readAll(chat) : undefined;
  const socket = await network.next();
  socket.accept();
  const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
  return {
    chat,
    socket,
    network,
    seen,
    told: reading?.told ?? [],
    settle,
    /** Breaks a connection, and opens the next one. */
    async reconnect(broken: ScriptedSocket, code = 1006): Promise<ScriptedSocket> {
      broken.drop(code);
      await vi.advanceTimersByTimeAsync(longMs);
      const next = await network.next();
      next.accept();
      return next;
    },
  };
}

const failure = (status: number, more: object) => ({ type: 'error', message: 'no', status, ...more });
const lost = 'the connection broke, and without credentials nobody can ask what became of the turn';

describe('the socket of an agent, after a break', () => {
  it('sends turns that have no run yet again, with their names, and takes up the others behind their steps', async () => {
    const { chat, socket, told, settle, reconnect } = await opened();
    const keys = ['1', '2', '3', '4'].map((input) => chat.send({ input }));
    chat.follow('r9', { lastSeq: 7 });
    socket.tell(run('r1', keys[0]), step('r1', 1), step('r1.1', 2), waiting('r1'));
    socket.tell(run('r2', keys[1]), result('r2'), run('r3', keys[2]));
    const again = await reconnect(socket);
    expect(sentOver(again)).toEqual([
      { run_id: 'r1', last_seq: 2 },
      { run_id: 'r3', last_seq: 0 },
      { input: '4', idempotency_key: keys[3] },
      { run_id: 'r9', last_seq: 7 },
    ]);
    const before = told.length;
    again.tell({ type: 'ready', agent: 'support' }, run('r1'), step('r1', 2), step('r1', 3), result('r1'));
    again.tell(run('r3', keys[2]), step('r3', 1), result('r3'), run('r4', keys[3]), step('r4', 1));
    await settle();
    expect(told.slice(before)).toEqual([
      step('r1', 3),
      result('r1'),
      step('r3', 1),
      result('r3'),
      run('r4', keys[3]),
      step('r4', 1),
    ]);
  });

  it('tells a turn that ended meanwhile, or was begun before its name was heard, from its first step', async () => {
    const { chat, socket, told, settle, reconnect } = await opened();
    const key = chat.send({ input: '1' });
    const again = await reconnect(socket);
    again.tell(run('r1', key), step('r1', 1), step('r1', 2), result('r1'));
    await settle();
    expect(told).toEqual([run('r1', key), step('r1', 1), step('r1', 2), result('r1')]);
    expect(sentOver(await reconnect(again))).toEqual([]);
  });

  it('goes on with what it was when it broke in the handshake', async () => {
    const { open, network, asked } = connect({}, () => refusal(404));
    const chat = open();
    chat.send({ input: '1', idempotency_key: 'k' });
    (await network.next()).drop();
    await vi.advanceTimersByTimeAsync(longMs);
    const again = await network.next();
    again.accept();
    expect(sentOver(again)).toEqual([{ input: '1', idempotency_key: 'k' }]);
    expect(asked).toEqual(['GET https://desk.example/in/agents/support/runs/none']);
    chat.close();
  });

  it('says again what it waits for only when that is something else', async () => {
    const { chat, socket, told, settle, reconnect } = await opened();
    const key = chat.send({ input: '1' });
    socket.tell(run('r1', key), waiting('r1'));
    const again = await reconnect(socket);
    const other = { ...waiting('r1'), status: 'waiting_provider' };
    again.tell(run('r1'), waiting('r1'), other, step('r1', 1), other);
    await settle();
    expect(told).toEqual([run('r1', key), waiting('r1'), other, step('r1', 1), other]);
  });

  it('keeps to eight in line when it takes runs up again', async () => {
    const { chat, socket, reconnect } = await opened();
    for (let i = 0; i < 20; i++) {
      const key = chat.send({ input: String(i) });
      socket.tell(run(`r${i}`, key), waiting(`r${i}`));
    }
    const again = await reconnect(socket);
    expect(sentOver(again).map(({ run_id: id }) => id)).toEqual(Array.from({ length: 8 }, (_, i) => `r${i}`));
    again.tell(run('r0'), waiting('r0'));
    expect(sentOver(again).at(-1)).toEqual({ run_id: 'r8', last_seq: 0 });
  });

  it('cancels again what was cancelled before the break', async () => {
    const { chat, socket, network, told, settle } = await opened();
    const keys = [chat.send({ input: '1' }), chat.send({ input: '2' })];
    socket.tell(run('r1', keys[0]));
    socket.drop();
    expect([chat.cancel('r1'), socket.sent.length]).toEqual([true, 2]);
    await vi.advanceTimersByTimeAsync(longMs);
    const again = await network.next();
    again.accept();
    again.tell(run('r1'), result('r1', 'cancelled'));
    // Too late: the run has ended.
    again.tell(failure(404, { run_id: 'r1' }));
    await settle();
    expect(sentOver(again).at(-1)).toEqual({ type: 'cancel', run_id: 'r1' });
    expect(told).toEqual([run('r1', keys[0]), result('r1', 'cancelled')]);
  });

  it('never begins a turn anew of somebody without credentials: it ends with an error', async () => {
    const { chat, socket, told, settle, reconnect } = await opened({ client: { apiKey: undefined } });
    const keys = Array.from({ length: 10 }, (_, i) => chat.send({ input: String(i) }));
    socket.tell(run('r0', keys[0], {}), step('r0', 1));
    const again = await reconnect(socket);
    await settle();
    const error = (more: object) => ({ type: 'error', message: lost, status: 0, ...more });
    expect(told.slice(2)).toEqual([
      error({ run_id: 'r0', idempotency_key: keys[0] }),
      ...keys.slice(1, 8).map((key) => error({ idempotency_key: key })),
    ]);
    // Those that were never sent are.
    expect(sentOver(again).map(({ input }) => input)).toEqual(['8', '9']);
  });

  it('takes somebody for known who may take up a run, whatever the credential', async () => {
    const { chat, socket, reconnect } = await opened({ client: { apiKey: undefined } });
    const keys = [chat.send({ input: '1' }), chat.send({ input: '2' })];
    socket.tell(run('r1', keys[0]));
    const again = await reconnect(socket);
    expect(sentOver(again)).toEqual([
      { run_id: 'r1', last_seq: 0 },
      { input: '2', idempotency_key: keys[1] },
    ]);
  });

  it('takes nobody for known whose run has no place, whatever the credential', async () => {
    const { chat, socket, told, settle, reconnect } = await opened();
    const keys = [chat.send({ input: '1' }), chat.send({ input: '2' })];
    socket.tell(run('r1', keys[0], {}));
    const again = await reconnect(socket);
    await settle();
    expect(again.sent).toEqual([]);
    expect(told.slice(1).map(({ idempotency_key: key }) => key)).toEqual(keys);
  });

  it('tells of a turn that is too large for the service, and sends the others again', async () => {
    const { chat, socket, told, settle, reconnect } = await opened();
    const keys = ['a', 'b'.repeat(500), 'c'].map((input) => chat.send({ input }));
    const again = await reconnect(socket, 1009);
    await settle();
    const message = 'the turn is larger than the service takes';
    expect(told).toEqual([{ type: 'error', message, status: 413, idempotency_key: keys[1] }]);
    expect(sentOver(again).map(({ input }) => input)).toEqual(['a', 'c']);
  });

  it('comes back after 1009 with nothing to blame, and after 1001 and 4401', async () => {
    const { chat, socket, reconnect } = await opened();
    socket.tell(run('r1', chat.send({ input: '1' })));
    let current = socket;
    for (const code of [1009, 1001, 4401]) current = await reconnect(current, code);
    expect(sentOver(current)).toEqual([{ run_id: 'r1', last_seq: 0 }]);
  });
});

describe('a run that the service cannot tell of now', () => {
  it('is taken up later behind its last step, and gives way meanwhile', async () => {
    const { chat, socket, told, settle } = await opened();
    const keys = Array.from({ length: 9 }, (_, i) => chat.send({ input: String(i) }));
    socket.tell(run('r0', keys[0]), step('r0', 1), failure(503, { run_id: 'r0' }));
    expect(sentOver(socket).slice(8)).toEqual([{ input: '8', idempotency_key: keys[8] }]);
    socket.tell(run('r1', keys[1]), result('r1'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sentOver(socket).slice(9)).toEqual([{ run_id: 'r0', last_seq: 1 }]);
    socket.tell(run('r0'), step('r0', 2), result('r0'));
    await settle();
    expect(told.filter(({ type }) => type === 'error')).toEqual([]);
    expect(told.slice(-2)).toEqual([step('r0', 2), result('r0')]);
  });

  it('is taken up six times in a row, each a little later, and then told of', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { chat, socket, told, settle } = await opened();
    const key = chat.send({ input: '1' });
    socket.tell(run('r1', key));
    const waits: number[] = [];
    const refuse = async (): Promise<void> => {
      socket.tell(failure(503, { run_id: 'r1' }));
      const { length } = socket.sent;
      for (waits.push(0); socket.sent.length === length; waits.push((waits.pop() ?? 0) + 500))
        await vi.advanceTimersByTimeAsync(500);
      socket.tell(run('r1', key));
    };
    await refuse();
    socket.tell(step('r1', 1));
    for (let i = 0; i < 6; i++) await refuse();
    expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect(told).toEqual([run('r1', key), step('r1', 1)]);
    socket.tell(failure(503, { run_id: 'r1' }));
    await settle();
    expect(told.slice(2)).toEqual([failure(503, { run_id: 'r1' })]);
    expect(chat.cancel('r1')).toBe(false);
    vi.restoreAllMocks();
  });

  it('is asked for when its caller may ask again: also a turn that may have begun', async () => {
    const { chat, socket, told, settle, reconnect } = await opened();
    const begun = chat.send({ input: '1' });
    const unknown = chat.send({ input: '2' });
    socket.tell(run('r1', begun));
    const next = await reconnect(socket, 1006);
    next.tell(failure(429, { run_id: 'r1', retry_after: 20 }));
    next.tell(failure(429, { idempotency_key: unknown, retry_after: 20 }));
    expect(sentOver(next)).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(19_900);
    expect(sentOver(next)).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(200);
    expect(sentOver(next).slice(2)).toEqual([
      { run_id: 'r1', last_seq: 0 },
      { input: '2', idempotency_key: unknown },
    ]);
    const fresh = chat.send({ input: '3' });
    next.tell(failure(429, { idempotency_key: fresh, retry_after: 20 }));
    await settle();
    expect(told.slice(1)).toEqual([failure(429, { idempotency_key: fresh, retry_after: 20 })]);
  });

  it('is never asked for again by a caller whom the service calls nameless', async () => {
    const { chat, socket, told, settle, reconnect } = await opened();
    socket.tell({ type: 'ready', agent: 'clerk', authenticated: false });
    const key = chat.send({ input: '1' });
    const next = await reconnect(socket, 1006);
    await settle();
    expect(sentOver(next)).toEqual([]);
    expect(told).toMatchObject([{ type: 'error', idempotency_key: key, status: 0 }]);
  });

  it('is told of at once where nobody can take it up', async () => {
    const { chat, socket, told, settle } = await opened({ client: { apiKey: undefined } });
    socket.tell(run('r1', chat.send({ input: '1' }), {}), failure(503, { run_id: 'r1' }));
    await settle();
    expect(told.at(-1)).toEqual(failure(503, { run_id: 'r1' }));
  });

  it('is let go of with the socket: nothing waits any more', async () => {
    const { chat, socket } = await opened();
    socket.tell(run('r1', chat.send({ input: '1' })), failure(503, { run_id: 'r1' }));
    expect(vi.getTimerCount()).toBe(1);
    chat.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the socket of an agent that nobody reads', () => {
  it('lets go of its connection at a thousand messages, and goes on where it was when they are read', async () => {
    const { chat, socket, network, settle, seen } = await opened({ read: false });
    const keys = [chat.send({ input: '1' }), chat.send({ input: '2' })];
    socket.tell(run('r1', keys[0]));
    for (let seq = 1; seq < 999; seq++) socket.tell(step('r1', seq));
    expect(socket.closed).toBe(false);
    socket.tell(step('r1', 999), step('r1', 1_000), result('r1'));
    expect([socket.closed, chat.state, vi.getTimerCount()]).toEqual([true, 'waiting', 0]);
    await vi.advanceTimersByTimeAsync(10 * longMs);
    expect(network.sockets).toHaveLength(1);
    const messages = chat[Symbol.asyncIterator]();
    for (let i = 0; i < 999; i++) await messages.next();
    expect(network.sockets).toHaveLength(1);
    expect((await messages.next()).value).toEqual(step('r1', 999));
    expect(network.sockets).toHaveLength(2);
    const again = await network.next();
    again.accept();
    expect(sentOver(again)).toEqual([
      { run_id: 'r1', last_seq: 999 },
      { input: '2', idempotency_key: keys[1] },
    ]);
    again.tell(run('r1'), step('r1', 1_000), result('r1'));
    await settle();
    expect([(await messages.next()).value, (await messages.next()).value]).toEqual([
      step('r1', 1_000),
      result('r1'),
    ]);
    expect(seen.map(({ state }) => state)).toEqual(['open', 'waiting', 'connecting', 'open']);
  });

  it('stays closed when it was closed meanwhile', async () => {
    const { chat, socket, network } = await opened({ read: false });
    const key = chat.send({ input: '1' });
    socket.tell(run('r1', key));
    for (let seq = 1; seq < 1_000; seq++) socket.tell(step('r1', seq));
    chat.close();
    await readAll(chat).done;
    expect([network.sockets.length, chat.state]).toEqual([1, 'closed']);
  });
});

describe('the socket of an agent, refused', () => {
  it.each([401, 403])('ends with the reason of a handshake that was refused with %i', async (status) => {
    const { open, network } = connect({}, () => refusal(status));
    const chat = open();
    chat.send({ input: '1' });
    const { done } = readAll(chat);
    (await network.next()).drop();
    await expect(done).rejects.toMatchObject({ name: 'ProblemError', status });
    await readAll(chat).done;
    expect(() => chat.send({ input: '2' })).toThrow(`no: ${status}`);
    expect(network.sockets).toHaveLength(1);
  });

  it.each([
    ['at the sixth time in a row', [404, 404, 404, 404, 404, 404], 'closed'],
    ['not at the fifth', [404, 404, 404, 404, 404], 'waiting'],
    ['not when the service was away between', [404, 404, 404, 503, 404, 404, 404], 'waiting'],
    ['not when it is busy', [429, 429, 429, 429, 429, 429, 429], 'waiting'],
  ])('gives up a service that is there and opens no socket: %s', async (_, answers, state) => {
    const left = [...answers];
    const { open, network } = connect({}, () => refusal(left.shift() ?? 500));
    const chat = open();
    const { done } = readAll(chat);
    for (const _answer of answers) {
      (await network.next()).drop();
      await expect.poll(() => chat.state).not.toBe('connecting');
      if (network.sockets.length < answers.length) await vi.advanceTimersByTimeAsync(longMs);
    }
    expect(chat.state).toBe(state);
    if (state === 'closed')
      await expect(done).rejects.toMatchObject({
        name: 'SocketError',
        code: 1006,
        message: 'the service is there, but opens no socket',
      });
    chat.close();
  });

  it('begins to count anew once a socket was open', async () => {
    const { open, network } = connect({}, () => refusal(404));
    const chat = open();
    for (let i = 0; i < 8; i++) {
      const socket = await network.next();
      if (i === 4) socket.accept();
      socket.drop();
      await expect.poll(() => chat.state).toBe('waiting');
      await vi.advanceTimersByTimeAsync(longMs);
    }
    expect(network.sockets).toHaveLength(9);
    chat.close();
  });

  it.each([1008, 4403, 4404])('ends with the reason of close code %i, after what was told', async (code) => {
    const { chat, socket } = await opened({ read: false });
    const key = chat.send({ input: '1' });
    socket.tell(run('r1', key));
    socket.drop(code, 'go away');
    const { told, done } = readAll(chat);
    await expect(done).rejects.toMatchObject({ name: 'SocketError', code, message: 'go away' });
    expect(told).toEqual([run('r1', key)]);
    expect(() => chat.follow('r1')).toThrow('go away');
  });
});
