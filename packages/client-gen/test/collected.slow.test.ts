import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as macrotask } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toClient } from '../src/index.ts';
import { runnable } from './desk-table.ts';
import { makeProject, type Project } from './generated.ts';
import { route } from './rich-table.ts';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

type Read = (input: unknown, options: object) => AsyncIterableIterator<unknown>;
type Call = (input: object, options: object) => Promise<unknown>;

/** What these tests use of a generated client. */
interface Generated {
  getNote: Call;
  createImport: Call;
  readonly agents: { readonly support: { readonly stream: Read; readonly follow: Read } };
  readonly control: { readonly events: { readonly stream: Read } };
}

const output = Type.Object({ text: Type.String() });
const table = [
  route('GET', '/note', { output }),
  route('POST', '/import', { output, progress: true }),
  route('GET', '/events', {
    ...({ plane: 'control', progress: true, facts: { client: 'events.list', feed: true } } as const),
    output: Type.Object({ next: Type.String() }),
  }),
  ...runnable('agent', 'support', '/support', { input: { input: Type.String() } }),
];

/** Answers that begin, and never end. */
const server = createServer((request, response) => {
  if (request.headers.accept !== 'text/event-stream') {
    response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
    if (request.headers['x-drip'] !== undefined) drip(response);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('id: 1-\nevent: run\ndata: {"type":"run","run_id":"r1"}\n\n');
});

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
}

let project: Project;
let client: Generated;
/** Tells `begun` when the head of an answer is there. */
const answers = new EventEmitter();

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project = await makeProject(toClient(table, { title: 'Desk' }));
  const { createClient } = (await project.load('client.ts')) as {
    createClient(options: object): Generated;
  };
  const own = async (...given: Parameters<typeof fetch>): Promise<Response> => {
    const response = await fetch(...given);
    answers.emit('begun');
    return response;
  };
  client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fetch: own,
  });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await project.remove();
});

/** Takes away all that nobody holds, also what is held until then by what was under way. */
async function collect(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await macrotask();
    gc();
  }
}

/** Why it did not work; undefined when it did. */
function toReason(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

// Without its end a call would have it until the test ends.
describe('what nobody holds is collected, and a call whose answer has begun', { timeout: 20_000 }, () => {
  it.each([
    ['stalls', (options: object) => client.getNote({}, options)],
    ['drips', (options: object) => client.getNote({}, { ...options, headers: { 'x-drip': '' } })],
    ['tells events', (options: object) => client.createImport({}, { ...options, onProgress: () => {} })],
  ])('still ends with its time, and with its signal: it %s', async (_, call) => {
    verifies('client.ends');
    for (const [ends, name] of [
      [() => ({ timeoutMs: 300 }), 'TimeoutError'],
      [(signal: AbortSignal) => ({ signal }), 'Changed'],
    ] as const) {
      const begun = once(answers, 'begun');
      const going = new AbortController();
      const settled = toReason(call(ends(going.signal)));
      await begun;
      await collect();
      if (name === 'Changed') going.abort(Object.assign(new Error('changed my mind'), { name }));
      expect(await settled).toMatchObject({ name });
    }
  });

  it.each([
    ['a feed', (options: object) => client.control.events.stream({}, options)],
    ['a run', (options: object) => client.agents.support.stream({ input: 'Hi.' }, options)],
    ['a run that is followed', (options: object) => client.agents.support.follow('r1', options)],
  ])('still ends with its signal: %s', async (_, read) => {
    verifies('client.ends');
    const going = new AbortController();
    const events = read({ signal: going.signal });
    expect((await events.next()).value).toMatchObject({ type: 'run', run_id: 'r1' });
    const settled = toReason(events.next());
    await collect();
    going.abort(new Error('changed my mind'));
    expect(await settled).toMatchObject({ message: 'changed my mind' });
  });
});
