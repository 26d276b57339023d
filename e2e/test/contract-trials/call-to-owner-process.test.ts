/**
 * Walks a call to another process: a worker answers what anybody may answer and sends the rest, as route name and
 * input, to the one process that owns devices and runs. Nobody who calls can tell, until the owner dies.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { callTool, HTTPError, type Progress, type Values } from '@waymark/contract';
import type { Call, CallInput, Dispatcher, RouteResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import { createDispatcher } from '@waymark/core-routes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToWorker } from './wire/messages.ts';
import { ownerDispatcher } from './wire/owner-dispatcher.ts';
import { createOwnerTable } from './wire/owner-table.ts';

const desk: Principal = { id: 'desk', rootId: 'desk', authenticated: true, scopes: ['echo'] };
const table = createOwnerTable();
const local = createDispatcher(table);
let owner: ChildProcess;
let worker: Dispatcher;

beforeAll(() => {
  owner = startOwner();
  worker = placed(local, toDispatcher(owner));
});

afterAll(async () => {
  await end(owner);
});

/** Calls of owner routes travel; nothing else changes. */
function placed(here: Dispatcher, there: Dispatcher): Dispatcher {
  return {
    dispatch: (call) => (call.route.placement === 'owner' ? there : here).dispatch(call),
    upgrade: (call) => (call.route.placement === 'owner' ? there : here).upgrade(call),
  };
}

function startOwner(): ChildProcess {
  return fork(resolve(import.meta.dirname, 'wire/owner-process.ts'), {
    execPath: resolve(import.meta.dirname, '../../../node_modules/.bin/node'),
    execArgv: ['--conditions=@waymark/source'],
    // Bytes travel as bytes.
    serialization: 'advanced',
  });
}

function toDispatcher(child: ChildProcess): Dispatcher {
  return ownerDispatcher({
    // What is sent into a closing pipe is lost; `disconnect` tells.
    send: (message) => void child.send(message, () => {}),
    onMessage: (listener) => child.on('message', (message) => listener(message as ToWorker)),
    onClose: (listener) => child.on('disconnect', listener),
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

function call(name: string, more: Partial<Call> = {}): Call {
  const route = table.get(name);
  if (!route) throw new Error(`no route ${name}`);
  return { route, input: byArguments({}), principal: desk, via: 'http', requestId: 'r1', ...more };
}

function byArguments(values: Values): CallInput {
  return { by: 'arguments', values };
}

function byRequest(path: string, text: string, headers: Readonly<Record<string, string>> = {}): CallInput {
  const bytes = new TextEncoder().encode(text);
  const body = {
    contentType: 'application/json',
    contentLength: bytes.length,
    async read(limit: number) {
      if (bytes.length > limit) throw new HTTPError(413, `the body is larger than ${limit} bytes`);
      return bytes;
    },
    stream: () => new Blob([bytes]).stream(),
  };
  return { by: 'request', method: 'POST', path, headers, body, params: {}, query: [] };
}

/** An answer with its stream read to the end. */
async function whole({ status, headers, body }: RouteResponse): Promise<unknown> {
  if (body.kind !== 'stream') return { status, headers, body: { ...body } };
  const { stream, ...rest } = body;
  return { status, headers, body: { ...rest, text: await new Response(stream).text() } };
}

describe('a call of an owner route', () => {
  it('is answered by the owner, and others are not', async () => {
    const answer = async (name: string) => {
      const { body } = await worker.dispatch(call(name));
      return body.kind === 'json' ? JSON.parse(body.text) : body;
    };
    expect(await answer('pid')).toBe(process.pid);
    expect(await answer('owner_pid')).toBe(owner.pid);
  });

  it.each<[what: string, make: () => Call]>([
    ['JSON by arguments', () => call('echo', { input: byArguments({ text: 'hi' }) })],
    [
      'JSON by request',
      () => call('echo', { input: byRequest('/echo', '{"text":"hi"}', { 'accept-language': 'eo' }) }),
    ],
    ['input that is refused', () => call('echo', { input: byArguments({ text: 7 }) })],
    ['a body that is no JSON', () => call('echo', { input: byRequest('/echo', '{"text') })],
    ['a missing scope', () => call('echo', { principal: { ...desk, scopes: [] } })],
    ['an error with code and headers', () => call('broken')],
    ['bytes', () => call('picture')],
    ['a stream', () => call('long')],
    ['a body the engine reads', () => call('size', { input: byRequest('/size', '12345678') })],
    ['a body over its limit', () => call('size', { input: byRequest('/size', '123456789') })],
    ['a deadline that is over', () => call('slow', { deadlineMs: performance.now() })],
  ])('is answered as it is here: %s', async (_, make) => {
    const answer = await whole(await worker.dispatch(make()));
    expect(answer).toEqual(await whole(await local.dispatch(make())));
  });

  it('is a tool like any other', async () => {
    const tool = { ...call('picture'), arguments: {}, via: 'mcp' } as const;
    expect(await callTool(worker, tool)).toEqual(await callTool(local, tool));
  });

  it('tells its progress in order, before its answer', async () => {
    const seen: Progress[] = [];
    const { status } = await worker.dispatch(call('gather', { observe: (progress) => seen.push(progress) }));
    expect(status).toBe(200);
    expect(seen).toEqual([1, 2, 3].map((id) => ({ event: 'step', data: { at: id }, id: `${id}` })));
  });

  it('is stopped by its caller', async () => {
    const controller = new AbortController();
    const response = await worker.dispatch(
      call('slow', {
        signal: controller.signal,
        observe: () => controller.abort(new DOMException('the client went away', 'AbortError')),
      }),
    );
    expect(response).toMatchObject({
      status: 499,
      body: { kind: 'problem', detail: 'stopped: AbortError: the client went away' },
    });
  });

  it('does nothing before the rate bucket of its caller has answered', async () => {
    const seen: string[] = [];
    const costly = (answer: () => Promise<void>) =>
      worker.dispatch(
        call('costly', {
          charge: async (cost) => {
            await new Promise(setImmediate);
            seen.push(`charged ${cost}`);
            return answer();
          },
          observe: ({ event }) => seen.push(event),
        }),
      );
    expect((await costly(async () => {})).status).toBe(200);
    expect(seen.splice(0)).toEqual(['charged 1', 'worked']);
    const refused = await costly(async () => {
      throw new HTTPError(429, 'too many requests', { headers: { 'retry-after': '7' } });
    });
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { kind: 'problem', detail: 'too many requests' },
    });
    expect(seen).toEqual(['charged 1']);
  });

  it('lets go of an answer that nobody reads to the end', async () => {
    const { body } = await worker.dispatch(call('long'));
    if (body.kind !== 'stream') throw new Error(body.kind);
    const reader = body.stream.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('line 1\n');
    await reader.cancel();
    expect((await worker.dispatch(call('owner_pid'))).status).toBe(200);
  });
});

describe('an owner that dies', () => {
  it('fails the calls in flight and those that follow with 503', async () => {
    const child = startOwner();
    const doomed = placed(local, toDispatcher(child));
    try {
      const response = await doomed.dispatch(call('slow', { observe: () => void child.kill('SIGKILL') }));
      expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
      expect((await doomed.dispatch(call('echo'))).status).toBe(503);
      expect((await doomed.dispatch(call('pid'))).status).toBe(200);
    } finally {
      await end(child);
    }
  });
});
