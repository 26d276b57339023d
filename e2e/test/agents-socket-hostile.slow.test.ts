import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { byTier } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type AgentSocket, keyOf, openAgentSocket, socketDesk, type Told } from './agent-socket.ts';
import { callers, type ThinkingApplication, thinking } from './agents-application.ts';
import { bearerOf } from './agents-token.ts';
import type { Flood, Flooded } from './hub-flooder.ts';
import { openRaw, wsFrame } from './hub-wire.ts';

const turn = { input: '[[say Hi.]]' };
const cancel = { type: 'cancel' };
const unknown = { run_id: 'nothing' };
const paying = '[[call pay {}]] [[say Paid.]]';

const text = (message: unknown): Buffer =>
  wsFrame(0x1, Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)));

const portOf = ({ url }: ThinkingApplication): number => Number(new URL(url).port);

/** A desk beside somebody who asks for something small. */
function besideDesk(): Promise<ThinkingApplication> {
  return thinking((app) => {
    app.get('/look', { scopes: ['write'] }, () => 'seen');
    app.agent('clerk', { exposeScopes: ['read'] });
  });
}

/**
 * Asks for something small until a work is done.
 *
 * @returns the longest that an answer took, in CPU time of the server: other processes have theirs in any measured time
 */
async function besides({ send }: ThinkingApplication, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  let longestMs = 0;
  while (!isOver) {
    const since = process.threadCpuUsage();
    expect((await send('/look', undefined, 'BEN_KEY')).status).toBe(200);
    const { user, system } = process.threadCpuUsage(since);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await work;
  return longestMs;
}

/** Floods by the weakest key that may start the agent. @returns how many sockets were cut for it */
async function flood(
  app: ThinkingApplication,
  messages: readonly unknown[],
  how: Partial<Flood> = {},
): Promise<number> {
  const whole: Flood = {
    ...{ port: portOf(app), target: '/agents/clerk', sockets: 1, ms: 500, key: callers.CAT_KEY },
    frame: Buffer.concat(messages.map(text)),
    ...how,
  };
  const worker = new Worker(new URL('./hub-flooder.ts', import.meta.url), { workerData: whole });
  onTestFinished(async () => void (await worker.terminate()));
  const [flooded] = (await once(worker, 'message')) as [Flooded];
  return flooded.cut;
}

const floods: readonly (readonly [string, readonly unknown[]])[] = [
  ['turns', [turn]],
  ['unknown runs', [unknown]],
  ['cancels of nothing', [cancel]],
  ['turns and nonsense', [turn, 'nonsense']],
  ['turns with long keys, and cancels', [{ ...turn, idempotency_key: 'k'.repeat(60_000) }, cancel]],
  ['turns and cancels', [turn, cancel]],
];

/** Each is half a second of a whole processor: CI has what begins, what is refused, and what is long; a drill has all. */
const tried = floods.filter((_, i) => i % byTier({ quick: 2, slow: 2, drill: 1 }) === 0);

describe('a flood on the socket of an agent', () => {
  it.each(tried)(
    'of %s leaves room for everybody else, and for its caller afterwards',
    async (_, messages) => {
      const app = await besideDesk();
      const longestMs = await besides(app, flood(app, messages));
      // Three times what is promised.
      expect(longestMs).toBeLessThan(3 * 100);
      const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf('CAT_KEY'));
      socket.send(turn);
      await socket.until('result');
    },
  );

  it.each(tried)('of %s, whose answers nobody reads, takes no memory', async (_, messages) => {
    const app = await besideDesk();
    const beforeMb = process.memoryUsage.rss() / 1e6;
    const longestMs = await besides(app, flood(app, messages, { unread: true, sockets: 10 }));
    expect(longestMs).toBeLessThan(3 * 100);
    expect(process.memoryUsage.rss() / 1e6 - beforeMb).toBeLessThan(3 * 100);
  });

  it.each(tried.slice(0, 2))('of %s, from 100 sockets, is over when they are', async (_, messages) => {
    const app = await besideDesk();
    const longestMs = await besides(app, flood(app, messages, { sockets: 100 }));
    // The first chunk of each of them comes at once, and is parsed.
    expect(longestMs).toBeLessThan(3 * 400);
    await expect
      .poll(() => openAgentSocket(app.url, '/agents/clerk', keyOf('CAT_KEY')).catch(() => undefined))
      .toBeDefined();
  });
});

describe('a socket that goes on with what is refused', { timeout: 60_000 }, () => {
  const refused: readonly (readonly [string, readonly unknown[]])[] = [
    ['cancels of nothing', [cancel]],
    ['cancels and nonsense', [cancel, 'nonsense']],
  ];
  it.each(refused)('is cut: %s', async (_, messages) => {
    expect(await flood(await besideDesk(), messages, { ms: 5_000, sockets: 5 })).toBe(5);
  });

  it.each(refused)('is cut, whether anybody reads that or not: %s', async (_, messages) => {
    const how = { ms: 5_000, sockets: 5, unread: true };
    expect(await flood(await besideDesk(), messages, how)).toBe(5);
  });
});

describe('a socket whose token has expired', () => {
  it('begins no turn any more, be it that nobody answers the close', async () => {
    const app = await socketDesk();
    const client = await openRaw(portOf(app), '/agents/clerk', [
      // It lives by the 30 seconds that clocks may be apart, as at any other door.
      ['authorization', bearerOf('dan', 'read write', 2 - 30)],
    ]);
    const say = (input: string): void => client.send(text({ input }));
    say('[[latency 4000]] [[say Late.]]');
    for (let n = 0; n < 3; n++) say(`[[say In line ${n}.]]`);
    const runsOf = async (): Promise<readonly { principal: string; status: string }[]> =>
      Object((await app.send('/_svc/runs')).value).runs;
    await expect.poll(async () => (await runsOf()).length).toBe(1);
    const writes = setInterval(() => say('[[say Behind it.]]'), 50);
    onTestFinished(() => clearInterval(writes));
    await expect.poll(async () => (await runsOf()).map(({ status }) => status)).toContain('completed');
    expect((await runsOf()).length).toBe(1);
  });
});

describe('what a socket held', () => {
  const long = 'x'.repeat(90_000);
  const limits = { bodyBytesPerCaller: 250_000, bodyBytes: 500_000 };

  async function hasRoom(app: ThinkingApplication): Promise<boolean> {
    const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    socket.send({ input: `[[say Room.]] ${long}${long}` });
    const isTold = (): boolean => socket.told.length > 1 || socket.ws.readyState === WebSocket.CLOSED;
    await expect.poll(isTold).toBe(true);
    socket.ws.terminate();
    return socket.told[1]?.type === 'run';
  }

  it.each<[string, (socket: AgentSocket) => void]>([
    ['cut', ({ ws }) => ws.terminate()],
    ['closed', ({ ws }) => ws.close()],
    ['shut for what it sends', (socket) => void Array.from({ length: 64 }, () => socket.send('nonsense'))],
  ])('is given back when it is %s while turns wait in line', async (_, end) => {
    const app = await socketDesk({ limits });
    const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    socket.send({ input: '[[latency 1000]] [[say Late.]]' });
    await socket.until('run');
    for (let n = 0; n < 2; n++) socket.send({ input: long });
    socket.send({ input: long });
    expect(await socket.until('error')).toMatchObject({ status: 503 });
    end(socket);
    await socket.closed;
    await expect.poll(() => hasRoom(app)).toBe(true);
  });

  it('is given back of a message that never became whole', async () => {
    const app = await socketDesk({ limits });
    const client = await openRaw(portOf(app), '/agents/clerk', [['x-api-key', callers.ANN_KEY]]);
    client.send(wsFrame(0x1, Buffer.from(long + long), { fin: false }));
    await expect.poll(() => hasRoom(app)).toBe(false);
    client.close();
    await expect.poll(() => hasRoom(app)).toBe(true);
  });
});

describe('a message that never ends', { timeout: 60_000 }, () => {
  it('is cut at the size of a body, and holds nothing then; one in many pieces is a turn', async () => {
    const app = await besideDesk();
    const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf('CAT_KEY'));
    const piece = 'x'.repeat(262_144);
    const send = (data: string, fin: boolean): Promise<void> =>
      new Promise((resolve) => socket.ws.send(data, { fin }, () => resolve()));
    await send('{"input":"[[say Whole.]]', false);
    for (const letter of ' in many pieces') await send(letter, false);
    await send('"}', true);
    expect(Object((await socket.until('result')).result).output).toBe('Whole.');
    const endless = async (): Promise<void> => {
      while (socket.ws.readyState === WebSocket.OPEN) await send(piece, false);
    };
    const longestMs = await besides(app, endless());
    expect(longestMs).toBeLessThan(3 * 100);
    expect((await socket.closed).code).toBe(1009);
    const next = await openAgentSocket(app.url, '/agents/clerk', keyOf('CAT_KEY'));
    next.send({ input: `[[say Room.]] ${'x'.repeat(1_000_000)}` });
    expect(Object((await next.until('result')).result).output).toBe('Room.');
  });
});

describe('readers who stop in the middle of their runs', () => {
  it('hold nobody up, nor their own runs', async () => {
    const app = await thinking((one) => {
      one.get('/look', { tool: true, toolName: 'look', scopes: ['write'] }, () => 'seen');
      one.get('/page', { tool: true, toolName: 'page', scopes: ['read'] }, () => 'x'.repeat(60_000));
      one.agent('clerk', { scopes: ['read'], tools: ['page'] });
    });
    const input = `${'[[calls page {}, page {}, page {}, page {}]] '.repeat(4)}[[say Done.]]`;
    const open = () => openAgentSocket(app.url, '/agents/clerk', keyOf('CAT_KEY'));
    const readers = byTier({ quick: 8, slow: 8, drill: 20 });
    const sockets = await Promise.all(Array.from({ length: readers }, open));
    for (const { ws } of sockets) ws.pause();
    const ended = async (): Promise<number> =>
      Object((await app.send('/_svc/runs?status=completed')).value).runs.length;
    for (const socket of sockets) socket.send({ input, stream: true });
    const longestMs = await besides(app, expect.poll(ended).toBe(readers));
    expect(longestMs).toBeLessThan(3 * 100);
    for (const { ws } of sockets) ws.terminate();
  });
});

describe('a session that two sockets begin anew at the same time', () => {
  it('ends each turn once, and goes on', async () => {
    const app = await socketDesk();
    const sockets = await Promise.all([1, 2].map(() => openAgentSocket(app.url, '/agents/clerk', keyOf())));
    const each = 8;
    for (let n = 0; n < each; n++)
      for (const socket of sockets) socket.send({ input: `[[say ${n}]]`, session_id: 's', reset: true });
    const ends = ({ told }: AgentSocket): number =>
      told.filter(({ type }) => type === 'result' || type === 'error').length;
    for (const socket of sockets) await expect.poll(() => ends(socket)).toBe(each);
    const [socket] = sockets as [AgentSocket];
    socket.send({ input: '[[say Last.]]', session_id: 's', idempotency_key: 'last' });
    await expect.poll(() => Object(socket.told.at(-1)?.['result']).output).toBe('Last.');
    for (const { told } of sockets) {
      const runs = told.flatMap(({ type, run_id: id }) => (type === 'run' ? [id] : []));
      expect(new Set(runs).size).toBe(runs.length);
    }
  });
});

describe('a key of a turn', () => {
  it('is one with that of a POST, for one caller, one agent and one input', async () => {
    const app = await socketDesk();
    const headers = { 'idempotency-key': 'k' };
    const { value } = await app.send('/agents/clerk', turn, 'ANN_KEY', headers);
    const said = async (path: string, caller: 'ANN_KEY' | 'BEN_KEY', input: string): Promise<Told> => {
      const socket = await openAgentSocket(app.url, path, keyOf(caller));
      socket.send({ input, idempotency_key: 'k' });
      await expect.poll(() => socket.told.some(({ type }) => ['result', 'error'].includes(type))).toBe(true);
      return socket.told.at(-1) as Told;
    };
    const same = await said('/agents/clerk', 'ANN_KEY', turn.input);
    expect(Object(same['result']).run_id).toBe(value.run_id);
    expect(await said('/agents/clerk', 'ANN_KEY', 'Something else.')).toMatchObject({ status: 422 });
    const others = [
      await said('/agents/clerk', 'BEN_KEY', turn.input),
      await said('/agents/boss', 'ANN_KEY', turn.input),
    ];
    const runs = others.map(({ result }) => Object(result).run_id);
    expect(new Set([value.run_id, ...runs]).size).toBe(3);
  });
});

describe('a thousand cancels', () => {
  it('of a run that waits end it once', async () => {
    const app = await socketDesk();
    const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    socket.send({ input: paying });
    const { run_id: runId } = await socket.until('waiting');
    for (let n = 0; n < 1_000; n++) socket.send({ ...cancel, run_id: runId });
    expect((await socket.until('result')).result).toMatchObject({ run_id: runId, status: 'cancelled' });
    const again = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    again.send({ run_id: runId });
    expect((await again.until('result')).result).toMatchObject({ status: 'cancelled' });
    expect(socket.told.filter(({ type }) => type === 'result').length).toBe(1);
  });

  it('race with a human who decides, and one of them is right', async () => {
    const app = await socketDesk();
    const socket = await openAgentSocket(app.url, '/agents/clerk', keyOf());
    for (let n = 0; n < 10; n++) {
      socket.send({ input: paying });
      const { run_id: runId, ...waiting } = await socket.until('waiting');
      const { approval_id: id } = Object(waiting['pending_approvals'])[0];
      const decided = app.send(`/_svc/approvals/${id}`, { approve: true, note: '' }, 'BEN_KEY');
      for (let i = 0; i < 5; i++) socket.send({ ...cancel, run_id: runId });
      expect([200, 409]).toContain((await decided).status);
      const { result } = await socket.until('result');
      expect(Object(result).run_id).toBe(runId);
      expect(['cancelled', 'completed']).toContain(Object(result).status);
    }
  });
});

describe('the runs of others', () => {
  it('are no runs, to be taken up or ended, for whoever asks', async () => {
    const app = await socketDesk();
    const { value } = await app.ask('clerk', paying);
    const refused = async (path: string, headers: object, message: object): Promise<Told> => {
      const socket = await openAgentSocket(app.url, path, { ...headers });
      socket.send(message);
      const told = await socket.until('error');
      socket.ws.close();
      return told;
    };
    const askers: readonly (readonly [string, object])[] = [
      ['/agents/clerk', keyOf('BEN_KEY')],
      ['/agents/boss', keyOf()],
      ['/agents/greeter', {}],
    ];
    for (const [path, headers] of askers)
      for (const runId of [value.run_id, 'nothing']) {
        expect(await refused(path, headers, { run_id: runId })).toEqual({
          ...{ type: 'error', message: `no run ${runId}`, status: 404, run_id: runId },
        });
        expect(await refused(path, headers, { ...cancel, run_id: runId })).toEqual({
          ...{ type: 'error', message: `this socket does not tell run ${runId}`, status: 404, run_id: runId },
        });
      }
    expect((await app.send(`/agents/clerk/runs/${value.run_id}`)).status).toBe(202);
  });

  it('are not those of a foreign page', async () => {
    const { url } = await socketDesk();
    const foreign = openAgentSocket(url, `/agents/clerk?access_token=${callers.ANN_KEY}`, {
      origin: 'https://foreign.example',
    });
    await expect(foreign).rejects.toThrow('403');
  });
});

describe('the socket of an agent that stands elsewhere', () => {
  it.each(['behind middleware', 'in the table'])('takes turns, %s', async (where) => {
    const app = await thinking((one) => {
      if (where === 'behind middleware') one.use((_req, _res, next) => next());
      one.agent('clerk', { exposeAt: '/help/me', exposeScopes: ['read'] });
    });
    const socket = await openAgentSocket(app.url, '/help/me', keyOf());
    socket.send(turn);
    const { run_id: runId, location } = await socket.until('run');
    expect(location).toBe(`/help/me/runs/${runId}`);
    const { result } = await socket.until('result');
    expect(Object(result).output).toBe('Hi.');
    await expect(openAgentSocket(app.url, '/help/me')).rejects.toThrow('401');
  });
});
