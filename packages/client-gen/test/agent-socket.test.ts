import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { deskClient, readAll, result, run, sentOver, step, type Told, waiting } from './agent-project.ts';

const connect = deskClient();

/** A socket that is open. */
async function opened(options?: object, client?: object) {
  const { open, network } = connect(client);
  const chat = open(options);
  const socket = await network.next();
  socket.accept();
  return { chat, socket, network };
}

/** The next so many messages; reading stops there. */
async function take(chat: AsyncIterable<Told>, count: number): Promise<Told[]> {
  const taken: Told[] = [];
  for await (const message of chat) if (taken.push(message) === count) break;
  return taken;
}

describe('the socket of an agent', () => {
  it('connects at once, to the path of the agent, with the credential in the query', async () => {
    const { chat, network } = await opened();
    expect(network.sockets.map(({ url }) => url)).toEqual([
      'wss://desk.example/in/agents/support?access_token=sesame',
    ]);
    expect(chat.state).toBe('open');
  });

  it('sends a turn with a name of its own, and gives what is told of it', async () => {
    const { chat, socket } = await opened();
    const key = chat.send({ input: 'Hi.', session_id: 's', reset: undefined });
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(sentOver(socket)).toEqual([{ input: 'Hi.', session_id: 's', idempotency_key: key }]);
    const told = [run('r1', key), step('r1', 1), step('r1.1', 2), result('r1')];
    const piece = { type: 'delta', run_id: 'r1', agent: 'support', text: 'Do' };
    socket.tell({ type: 'ready', agent: 'support' }, ...told.slice(0, 2), piece, ...told.slice(2));
    expect(await take(chat, 5)).toEqual([...told.slice(0, 2), piece, ...told.slice(2)]);
  });

  it('names each turn anew, unless it has a name', async () => {
    const { chat, socket } = await opened();
    const keys = [chat.send({ input: '1' }), chat.send({ input: '2' })];
    expect(new Set(keys).size).toBe(2);
    expect(chat.send({ input: '3', idempotency_key: 'mine' })).toBe('mine');
    expect(() => chat.send({ input: '4', idempotency_key: 'mine' })).toThrow(
      new TypeError('a turn with the key "mine" has not ended yet'),
    );
    socket.tell(run('r3', 'mine'), result('r3'));
    expect(chat.send({ input: '3', idempotency_key: 'mine' })).toBe('mine');
    expect(sentOver(socket).map(({ idempotency_key: key }) => key)).toEqual([...keys, 'mine', 'mine']);
  });

  it('sends what was said before it was open, in its order', async () => {
    const { open, network } = connect();
    const chat = open();
    for (const input of ['1', '2', '3']) chat.send({ input });
    const socket = await network.next();
    expect(socket.sent).toEqual([]);
    socket.accept();
    expect(sentOver(socket).map(({ input }) => input)).toEqual(['1', '2', '3']);
  });

  it('stays open when reading stops, and is read on', async () => {
    const { chat, socket } = await opened();
    for (const id of ['r1', 'r2']) {
      const key = chat.send({ input: id });
      socket.tell(run(id, key), result(id));
      for await (const message of chat) if (message.type === 'result') break;
    }
    expect([chat.state, socket.closed]).toEqual(['open', false]);
    chat.send({ input: '3' });
    expect(sentOver(socket)).toHaveLength(3);
  });

  it('passes over what it does not know: types, texts that are no records, runs of others', async () => {
    verifies('aside.socket.unknown-ignored');
    const { chat, socket } = await opened();
    const key = chat.send({ input: 'Hi.' });
    socket.tell({ type: 'weather', run_id: 'r1' }, { no: 'type' }, { type: 'step', run_id: 'r1' });
    for (const text of ['', '{', 'null', '7', '[]', '"run"']) socket.tellText(text);
    socket.tell(run('r9', 'other'), step('r9', 1), waiting('r9'), result('r9'), { type: 'result' });
    socket.tell({ type: 'delta', run_id: 'r9', text: 'x' }, { type: 'error', run_id: 'r9', status: 404 });
    socket.tell(
      run('r1', key),
      { type: 'step', run_id: 'r1' },
      { type: 'thought', run_id: 'r1' },
      result('r1'),
    );
    expect(await take(chat, 2)).toEqual([run('r1', key), result('r1')]);
  });

  it('keeps eight in the line of the service, and sends the next when one ends, waits or is refused', async () => {
    const { chat, socket } = await opened();
    const keys = Array.from({ length: 12 }, (_, i) => chat.send({ input: String(i) }));
    const inputs = (): unknown[] => sentOver(socket).map(({ input }) => input);
    expect(inputs()).toHaveLength(8);
    socket.tell(run('r0', keys[0]));
    expect(inputs()).toHaveLength(8);
    socket.tell(result('r0'));
    expect(inputs()).toHaveLength(9);
    socket.tell(run('r1', keys[1]), waiting('r1'), waiting('r1'));
    expect(inputs()).toHaveLength(10);
    socket.tell({ type: 'error', message: 'no', status: 422, idempotency_key: keys[2] });
    expect(inputs()).toHaveLength(11);
    // It makes room once: it stood in no line any more.
    socket.tell(step('r1', 1), result('r1'));
    expect(inputs()).toHaveLength(11);
    socket.tell(run('r3', keys[3]), result('r3'));
    expect(inputs()).toEqual(keys.map((_, i) => String(i)));
  });

  it('takes a thousand turns that were not sent, and no more', async () => {
    const { open, network } = connect();
    const chat = open();
    for (let i = 0; i < 1_000; i++) chat.send({ input: String(i) });
    const full = new RangeError('1000 turns have not been sent yet');
    expect(() => chat.send({ input: 'x' })).toThrow(full);
    expect(() => chat.follow('r1')).toThrow(full);
    const socket = await network.next();
    socket.accept();
    for (let i = 0; i < 8; i++) chat.send({ input: 'y' });
    expect(() => chat.send({ input: 'x' })).toThrow(full);
  });

  it('tells of a failed run as of any other', async () => {
    const { chat, socket } = await opened();
    const key = chat.send({ input: 'Hi.' });
    const problem = { status: 502, detail: 'the model failed' };
    socket.tell(run('r1', key), { ...result('r1', 'failed'), problem });
    expect(await take(chat, 2)).toEqual([run('r1', key), { ...result('r1', 'failed'), problem }]);
  });

  it.each([400, 401, 403, 404, 409, 413, 422, 429, 503])(
    'tells of a refused turn, once: %i',
    async (status) => {
      const { chat, socket } = await opened();
      const key = chat.send({ input: 'Hi.' });
      const refused = { type: 'error', message: 'no', status, idempotency_key: key, retry_after: 1 };
      const general = { type: 'error', message: 'that was no JSON', status: 400 };
      socket.tell(refused, refused, general);
      expect(await take(chat, 2)).toEqual([refused, general]);
      expect(chat.cancel()).toBe(false);
    },
  );

  it('goes by the order of turns where their names are not repeated', async () => {
    const { chat, socket } = await opened();
    chat.send({ input: '1' });
    chat.send({ input: '2' });
    socket.tell(run('r1'), result('r1'), run('r2'), step('r2', 1));
    expect(await take(chat, 4)).toEqual([run('r1'), result('r1'), run('r2'), step('r2', 1)]);
  });

  it('takes up a run behind a step', async () => {
    const { chat, socket } = await opened();
    chat.follow('r1', { lastSeq: 3 });
    chat.follow('r2');
    chat.follow('r2', { lastSeq: 9 });
    expect(sentOver(socket)).toEqual([
      { run_id: 'r1', last_seq: 3 },
      { run_id: 'r2', last_seq: 0 },
    ]);
    socket.tell(run('r1'), step('r1', 3), step('r1', 4), result('r1'));
    socket.tell({ type: 'error', message: 'no such run', status: 404, run_id: 'r2' });
    expect(await take(chat, 4)).toEqual([
      run('r1'),
      step('r1', 4),
      result('r1'),
      { type: 'error', message: 'no such run', status: 404, run_id: 'r2' },
    ]);
  });

  it('tells each step of a run once where a turn is of a run that is followed, and each its result', async () => {
    const { chat, socket } = await opened();
    chat.follow('r1');
    const key = chat.send({ input: 'Hi.', idempotency_key: 'k' });
    socket.tell(run('r1'), step('r1', 1), run('r1', key), step('r1', 1), step('r1', 2), step('r1', 2));
    socket.tell(result('r1'), result('r1'), result('r1'));
    chat.follow('end');
    socket.tell(run('end'));
    expect(await take(chat, 6)).toEqual([
      run('r1'),
      step('r1', 1),
      step('r1', 2),
      result('r1'),
      result('r1'),
      run('end'),
    ]);
  });

  it('cancels the turn under way by its run, and one that is named', async () => {
    const { chat, socket } = await opened();
    expect([chat.cancel(), chat.cancel('r1')]).toEqual([false, false]);
    const keys = [chat.send({ input: '1' }), chat.send({ input: '2' })];
    socket.tell(run('r1', keys[0]), waiting('r1'), run('r2', keys[1]));
    expect(chat.cancel()).toBe(true);
    expect(chat.cancel('r1')).toBe(true);
    expect(sentOver(socket).slice(2)).toEqual([
      { type: 'cancel', run_id: 'r2' },
      { type: 'cancel', run_id: 'r1' },
    ]);
    const { told } = readAll(chat);
    socket.tell(result('r2', 'cancelled'), result('r1', 'cancelled'));
    await expect
      .poll(() => told.map(({ type }) => type))
      .toEqual(['run', 'waiting', 'run', 'result', 'result']);
    expect(chat.cancel()).toBe(false);
    chat.close();
  });

  it('leaves a turn that waits alone, when the one under way is cancelled', async () => {
    const { chat, socket } = await opened();
    socket.tell(run('r1', chat.send({ input: '1' })), waiting('r1'));
    expect(chat.cancel()).toBe(false);
    expect(sentOver(socket)).toHaveLength(1);
  });

  it('cancels a turn that has no run yet as soon as it has one', async () => {
    const { chat, socket } = await opened();
    const key = chat.send({ input: '1' });
    expect(chat.cancel()).toBe(true);
    expect(sentOver(socket)).toHaveLength(1);
    socket.tell(run('r1', key));
    expect(sentOver(socket).at(-1)).toEqual({ type: 'cancel', run_id: 'r1' });
  });

  it('never sends a turn that was cancelled before, and says so', async () => {
    const { open, network } = connect();
    const chat = open();
    const key = chat.send({ input: '1' });
    expect(chat.cancel()).toBe(true);
    const socket = await network.next();
    socket.accept();
    expect(socket.sent).toEqual([]);
    expect(await take(chat, 1)).toEqual([
      {
        type: 'error',
        message: 'the turn was cancelled before it was sent',
        status: 0,
        idempotency_key: key,
      },
    ]);
  });

  it.each(['close', 'abort'])('ends on %s, and takes no more', async (way) => {
    const abort = new AbortController();
    const { chat, socket } = await opened({ signal: abort.signal });
    const { told, done } = readAll(chat);
    const other = readAll(chat);
    socket.tell(run('r1', chat.send({ input: '1' })));
    await expect.poll(() => told.length + other.told.length).toBe(1);
    if (way === 'close') chat.close();
    else abort.abort();
    socket.tell(result('r1'));
    await Promise.all([done, other.done]);
    expect(told.length + other.told.length).toBe(1);
    expect([chat.state, socket.closed]).toEqual(['closed', true]);
    for (const take of [() => chat.send({ input: '2' }), () => chat.follow('r1')])
      expect(take).toThrow(new TypeError('the socket is closed'));
    expect(chat.cancel()).toBe(false);
    await readAll(chat).done;
  });

  it('opens nothing when its signal has fired before', async () => {
    const { open, network } = connect();
    await readAll(open({ signal: AbortSignal.abort() })).done;
    expect(network.sockets).toHaveLength(0);
  });
});
