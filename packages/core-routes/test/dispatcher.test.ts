import { getEventListeners } from 'node:events';
import { from, HTTPError, reply, Type, toRoute } from '@waymark/contract';
import type { Call, Engine, EngineContext, Log, Peer } from '@waymark/contract/engine';
import type { AuditEvent } from '@waymark/contract/stores';
import { memoryPeer, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type DispatcherOptions, requireAdmin } from '../src/index.ts';
import { answerOf, bytesBody, caller, detailOf, echo, jsonBody, route, serve } from './kit.ts';

/** Lets everything that is ready run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A socket route, and the call of an upgrade to it. */
function socket(
  accept: Engine['accept'],
  options: Parameters<typeof toRoute>[3] = {},
  dispatcherOptions: DispatcherOptions = {},
) {
  const engine: Engine = { kind: 'device', ...(accept && { accept }) };
  const live = toRoute('GET', '/live/{id}', engine, {
    socket: true,
    input: { id: Type.Integer() },
    ...options,
  });
  const { dispatcher } = serve([live], dispatcherOptions);
  const call = (more: Partial<Call> = {}, id = '5'): Call => ({
    route: live,
    input: {
      by: 'request',
      method: 'GET',
      path: `/live/${id}`,
      params: { id },
      headers: {},
      body: bytesBody(),
      search: '',
    },
    principal: caller(),
    via: 'socket',
    requestId: 'r1',
    ...more,
  });
  return { dispatcher, call };
}

async function admitted(served: ReturnType<typeof socket>, more: Partial<Call> = {}) {
  const admission = await served.dispatcher.upgrade(served.call(more));
  if (!admission.ok) throw new Error(`the upgrade is ${admission.response.status}`);
  return admission;
}

describe('upgrade', () => {
  it('is held to guards, scopes and schemas, in this order', async () => {
    verifies('auth.upgrade.scopes');
    const options: { refusal?: HTTPError } = { refusal: new HTTPError(503, 'draining') };
    const served = socket(() => {}, { scopes: ['watch'] }, { guards: [() => options.refusal] });
    const status = async (more: Partial<Call>, id?: string): Promise<number> => {
      const admission = await served.dispatcher.upgrade(served.call(more, id));
      return admission.ok ? 101 : admission.response.status;
    };
    expect(await status({}, 'no')).toBe(503);
    delete options.refusal;
    expect(await status({}, 'no')).toBe(403);
    expect(await status({ principal: caller('watch') }, 'no')).toBe(422);
    expect(await status({ principal: caller('watch') })).toBe(101);
  });

  it('is held to the control rule', async () => {
    const served = socket(() => {}, { plane: 'control' }, { controlRule: requireAdmin() });
    expect(await served.dispatcher.upgrade(served.call())).toMatchObject({
      ok: false,
      response: { status: 403 },
    });
    expect(await served.dispatcher.upgrade(served.call({ principal: caller('svc:admin') }))).toMatchObject({
      ok: true,
    });
  });

  it('says how long a message may be', async () => {
    expect((await admitted(socket(() => {}, { maxBodyBytes: 5_000 }))).maxMessageBytes).toBe(5_000);
  });

  it('hands the peer over once, with the input', async () => {
    const accepted: unknown[] = [];
    const admission = await admitted(socket((peer, { input }) => void accepted.push([peer, input])));
    const peer = memoryPeer();
    expect(accepted).toEqual([]);
    admission.accept(peer);
    await settle();
    expect(accepted).toEqual([[peer, { id: 5 }]]);
  });

  it.each([
    [
      'fails at once',
      () => {
        throw new Error('bug');
      },
    ],
    ['fails later', () => Promise.reject(new Error('bug'))],
  ])('closes the socket with 1011 and logs the cause when the engine %s', async (_, accept) => {
    const logged: unknown[] = [];
    const admission = await admitted(
      socket(
        accept,
        {},
        { log: (_level, message, fields) => logged.push([message, fields?.['request_id']]) },
      ),
    );
    const peer = memoryPeer();
    admission.accept(peer);
    await settle();
    expect(peer.closed).toEqual({ code: 1011, reason: 'internal error' });
    expect(logged).toEqual([['route failed', 'r1']]);
  });

  it('fires the signal of the context when the socket closes, and lets go of the others', async () => {
    const shutdown = new AbortController();
    let signal: AbortSignal | undefined;
    const admission = await admitted(
      socket(
        (_peer: Peer, context: EngineContext) => {
          signal = context.signal;
        },
        {},
        { signal: shutdown.signal },
      ),
    );
    const peer = memoryPeer();
    admission.accept(peer);
    await settle();
    expect(signal?.aborted).toBe(false);
    peer.disconnect();
    expect(signal?.aborted).toBe(true);
    expect(getEventListeners(shutdown.signal, 'abort')).toEqual([]);
  });

  it('has no deadline: sockets stay', async () => {
    let deadlineMs = 0;
    const admission = await admitted(
      socket(
        (_peer, context) => {
          deadlineMs = context.deadlineMs;
        },
        { timeoutMs: 10 },
      ),
    );
    admission.accept(memoryPeer());
    await settle();
    expect(deadlineMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('of a route that answers requests only is a bug, and so is a request to one that takes upgrades only', async () => {
    const { dispatcher, call } = socket(undefined);
    expect(await dispatcher.upgrade(call())).toMatchObject({ ok: false, response: { status: 500 } });
    expect(await dispatcher.dispatch(call())).toMatchObject({
      status: 500,
      body: { detail: 'internal error' },
    });
  });
});

describe('audit events', () => {
  const events: AuditEvent[] = [];
  const options: DispatcherOptions = { emit: (event) => events.push(event), monotonic: () => 1_000 };
  const emitted = (): readonly AuditEvent[] => events.splice(0);

  it('tell each use of a tool route once, by every door', async () => {
    const { tool } = serve([route('GET', '/x', { tool: true })], options);
    for (const via of ['http', 'mcp', 'socket', 'agent', 'behaviour', 'flow', 'watcher'] as const) {
      await tool({}, { via });
      expect(emitted()).toEqual([
        { kind: 'tool_called', via, route: 'get_x', principal: 'ada', status: 200, duration_ms: 0 },
      ]);
    }
  });

  it('tell a run that waited once, and not again when it goes on', async () => {
    verifies('audit.one-per-use');
    const { tool } = serve([route('GET', '/x', { tool: true }, () => reply(202, {}))], options);
    await tool({});
    expect(emitted()).toEqual([expect.objectContaining({ kind: 'tool_called', status: 202 })]);
    await tool({}, { resume: { rootId: 'run' } });
    expect(emitted()).toEqual([]);
  });

  it('tell how it ended: refused, wrong, failed or out of time', async () => {
    const routes = [
      route('GET', '/refused', { tool: true, scopes: ['no'] }),
      route('GET', '/gated', { tool: true, approval: 'required' }),
      route('GET', '/wrong', { tool: true, input: { a: Type.Integer() } }),
      route('GET', '/fails', { tool: true }, () => {
        throw new Error('bug');
      }),
      route('GET', '/late', { tool: true, timeoutMs: 1 }, () => new Promise(() => {})),
    ];
    const { tool } = serve(routes, options);
    const told = async (name: string) => {
      await tool({}, {}, name);
      return emitted().map(({ kind, status }) => [kind, status]);
    };
    expect(await told('get_refused')).toEqual([['tool_refused', 403]]);
    expect(await told('get_gated')).toEqual([['tool_refused', 403]]);
    expect(await told('get_wrong')).toEqual([['tool_called', 422]]);
    expect(await told('get_fails')).toEqual([['tool_called', 500]]);
    expect(await told('get_late')).toEqual([['tool_called', 504]]);
  });

  it('tell how long it took, and the run it was part of', async () => {
    let nowMs = 0;
    const { tool } = serve(
      [
        route('GET', '/x', { tool: true }, () => {
          nowMs += 40.4;
        }),
      ],
      {
        ...options,
        monotonic: () => nowMs,
      },
    );
    const step = { runId: 'run', key: 'run.1', begin: async () => {}, onDrop: () => {} } as Call['step'] &
      object;
    await tool({}, { via: 'agent', step });
    expect(emitted()).toEqual([
      {
        kind: 'tool_called',
        via: 'agent',
        route: 'get_x',
        principal: 'ada',
        status: 204,
        duration_ms: 40,
        run_id: 'run',
      },
    ]);
  });

  it('do not tell of routes that are no tools', async () => {
    await serve([route('GET', '/x')], options).tool({});
    expect(emitted()).toEqual([]);
  });

  it('that cannot be taken cost nobody the answer', async () => {
    const log = vi.fn<Log>();
    const { tool } = serve([route('GET', '/x', { tool: true })], {
      emit: () => {
        throw new Error('full');
      },
      log,
    });
    expect((await tool({})).status).toBe(200);
    expect(log).toHaveBeenCalledWith('error', 'an audit event is lost', {
      route: 'get_x',
      error: expect.any(Error),
    });
  });
});

describe('both doors', () => {
  it('give the same status and detail for the same input', async () => {
    verifies(
      'door.by-route',
      'door.same-checks',
      'purpose.tools.same-dispatcher',
      'auth.mcp.same-as-http',
      'auth.mcp.own-authority',
    );
    const input = {
      id: Type.Integer({ minimum: 0 }),
      style: from('query', Type.String({ default: 'abc', maxLength: 3 })),
      title: Type.Optional(Type.String()),
    };
    const answer = ({ input: { id, style, title } }: EngineContext): unknown => {
      if (id === 1) throw new HTTPError(404, `no ticket ${id}`);
      if (id === 2) throw new Error('bug');
      return { id, style, title };
    };
    const { request, tool } = serve([
      route('PUT', '/tickets/{id}', { input, scopes: ['write'], tool: true }, answer),
    ]);
    const given = fc.record({
      id: fc.integer({ min: -3, max: 9 }),
      style: fc.option(fc.string({ maxLength: 4 }), { nil: undefined }),
      body: fc.record(
        { title: fc.oneof(fc.string(), fc.integer()), extra: fc.boolean() },
        { requiredKeys: [] },
      ),
      allowed: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ id, style, body: members, allowed }) => {
        const call = { principal: allowed ? caller('write') : caller() };
        const query = style === undefined ? '' : new URLSearchParams({ style }).toString();
        const http = await request('PUT', `/tickets/${id}`, { query, body: jsonBody(members), call });
        const mcp = await tool({ id, ...(style !== undefined && { style }), ...members }, call);
        expect(answerOf(mcp)).toEqual(answerOf(http));
      }),
    );
  });

  it('answer HEAD as GET', async () => {
    verifies('http.path.head');
    const { request } = serve([route('GET', '/x', {}, ({ request: { method } }) => method)]);
    expect(answerOf(await request('HEAD', '/x'))).toBe('HEAD');
  });
});

describe('dispatch', () => {
  it('answers 500 to a route that is not in its table, and never runs it', async () => {
    const answer = vi.fn<() => void>();
    const stranger = route('GET', '/x', {}, answer);
    const log = vi.fn<Log>();
    const { tool } = serve([echo('GET', '/y')], { log });
    const refused = await tool({}, { route: stranger });
    expect([refused.status, detailOf(refused)]).toEqual([500, 'internal error']);
    expect(answer).not.toHaveBeenCalled();
    expect(log).toHaveBeenCalledWith(
      'error',
      'route failed',
      expect.objectContaining({ error: new Error("route get_x is not in this dispatcher's table") }),
    );
  });

  it('never rejects, whatever arguments come', async () => {
    const schemas = {
      a: Type.Integer(),
      list: Type.Array(Type.Object({ n: Type.Integer({ default: 1 }) }), { default: [] }),
      any: Type.Optional(Type.Unknown()),
    };
    const { tool } = serve([echo('POST', '/x', { input: schemas })], { log: () => {} });
    const throwing = fc.constant(
      Object.defineProperty({}, 'a', {
        enumerable: true,
        get: () => {
          throw new Error('getter');
        },
      }),
    );
    const anything = fc.oneof(
      fc.object({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSparseArray: true,
        withNullPrototype: true,
      }),
      fc.dictionary(
        fc.constantFrom('a', 'list', 'any', '__proto__', 'constructor', 'toString'),
        fc.anything(),
      ),
      throwing,
    );
    await fc.assert(
      fc.asyncProperty(anything, async (values) => {
        expect([200, 422, 500]).toContain((await tool(values as Record<string, unknown>)).status);
      }),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('never rejects, whatever an engine throws or returns, now or later', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    let answer: () => unknown = () => undefined;
    const { tool } = serve([route('GET', '/x', {}, () => answer())], { log: () => {} });
    await fc.assert(
      fc.asyncProperty(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withTypedArray: true,
          withNullPrototype: true,
        }),
        fc.constantFrom('throws', 'rejects', 'returns', 'resolves'),
        async (value, how) => {
          answer = () => {
            if (how === 'throws') throw value;
            return how === 'rejects'
              ? Promise.reject(value)
              : how === 'resolves'
                ? Promise.resolve(value)
                : value;
          };
          const { status } = await tool({});
          expect([200, 204, 500]).toContain(status);
          if (how === 'throws' || how === 'rejects') expect(status).toBe(500);
        },
      ),
    );
    await settle();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('needs a runner for runs only', async () => {
    const opens = (context: EngineContext): unknown =>
      context.openRun(
        { kind: 'flow', name: 'f', codeVersion: '', scopes: [], tokenBudget: null, maxSteps: null },
        () => Promise.reject(new Error()),
      );
    const without = serve([route('POST', '/x', {}, opens)]);
    expect((await without.tool({})).status).toBe(500);
    const opened: unknown[] = [];
    const runner = {
      open: async (spec: { name: string }, call: Call) => {
        opened.push([spec.name, call.requestId]);
        return 'outcome';
      },
    } as never;
    const answer = await serve([route('POST', '/x', {}, opens)], { runner }).tool({});
    expect([answerOf(answer), opened]).toEqual(['outcome', [['f', 'r1']]]);
  });
});

describe('the answer of a call that started a run', () => {
  /** @param end how the engine answers once the run is stored */
  function started(end: () => unknown) {
    const opens = async (context: EngineContext): Promise<unknown> => {
      await context.openRun(
        { kind: 'flow', name: 'f', codeVersion: '', scopes: [], tokenBudget: null, maxSteps: null },
        () => Promise.reject(new Error()),
      );
      return end();
    };
    const runner = {
      open: async (_: unknown, call: Call) => {
        call.onRun?.('01RUN');
        call.observe?.({ event: 'run', data: { run_id: '01RUN' } });
        call.observe?.({ event: 'step', data: {}, id: '1' });
      },
    } as never;
    return serve([route('POST', '/flows/{shop}/f/', { input: { shop: Type.String() } }, opens)], { runner });
  }

  it.each([
    [202, () => reply(202, {})],
    [
      503,
      () => {
        throw new HTTPError(503, 'the run goes on');
      },
    ],
  ])('says with %i where its own will be, to whoever may ask for it', async (status, end) => {
    verifies('run.location');
    const { tool } = started(end);
    const response = await tool({ shop: 'a b' });
    expect([response.status, response.headers]).toEqual([status, { location: '/flows/a%20b/f/runs/01RUN' }]);
    const anybody = { ...caller(), authenticated: false };
    expect((await tool({ shop: 'x' }, { principal: anybody })).headers).toEqual({});
  });

  it.each([
    [200, () => 'done'],
    [
      502,
      () => {
        throw new HTTPError(502, 'no answer');
      },
    ],
  ])('is its answer with %i', async (status, end) => {
    const response = await started(end).tool({ shop: 'x' });
    expect([response.status, response.headers]).toEqual([status, {}]);
  });

  it('says so to whoever listens, and to whoever made the call', async () => {
    verifies('run.named-at-once');
    const told: unknown[] = [];
    const ids: string[] = [];
    const onRun = (runId: string): void => void ids.push(runId);
    await started(() => 'done').tool({ shop: 'x' }, { onRun, observe: (event) => void told.push(event) });
    expect(ids).toEqual(['01RUN']);
    expect(told).toEqual([
      { event: 'run', data: { run_id: '01RUN', location: '/flows/x/f/runs/01RUN' } },
      { event: 'step', data: {}, id: '1' },
    ]);
  });
});

describe('a call that is given up', () => {
  it('is answered 503 and is no error in the log, since the handler did what its signal said', async () => {
    const gone = new AbortController();
    const lines: unknown[] = [];
    const waits = route(
      'GET',
      '/x',
      {},
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const { tool } = serve([waits], { log: (level, message) => lines.push([level, message]) });
    const answer = tool({}, { signal: gone.signal });
    gone.abort(new Error('the client went away'));
    expect(await answer).toMatchObject({ status: 503 });
    expect(lines).toEqual([['info', 'a call was given up']]);
  });
});
