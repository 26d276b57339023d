/** An application for `waymark start` whose handlers leave failures of every kind behind, while runs and requests go on. */
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as after } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { createApplication, Type } from '@waymark/server';

const { DATABASE: file = '' } = process.env;

const left = (): Error => new Error('left behind');
const fail = (): never => {
  throw left();
};

/** Throws whatever it is given, where nobody catches it. */
const toss = (thrown: unknown) => (): void => {
  setTimeout(() => {
    throw thrown;
  }, 5);
};

const circular = left();
circular.cause = circular;
const hostile = new Proxy(
  {},
  {
    get: fail,
    has: fail,
    ownKeys: fail,
    getPrototypeOf: fail,
    getOwnPropertyDescriptor: fail,
  },
);
const untellable = Object.defineProperties(left(), { message: { get: fail }, stack: { get: fail } });

const overflow = (): number => 1 + overflow();

/** What a handler leaves behind, by the name of its route. */
export const strays: Readonly<Record<string, () => void>> = {
  rejection: () => void Promise.reject(left()),
  'rejection-of-nothing': () => void Promise.reject(),
  'rejection-later': () => void after(5).then(fail),
  aggregate: () => void Promise.any([Promise.reject(left())]),
  // biome-ignore lint/suspicious/noThenProperty: it is one that fails
  thenable: () => void Promise.resolve({ then: fail }),
  timer: toss(left()),
  interval: () => void setInterval(fail, 50),
  immediate: () => void setImmediate(fail),
  tick: () => process.nextTick(fail),
  microtask: () => queueMicrotask(fail),
  null: toss(null),
  undefined: toss(undefined),
  text: toss('left behind'),
  symbol: toss(Symbol('left behind')),
  frozen: toss(Object.freeze({ left: 'behind' })),
  circular: toss(circular),
  hostile: toss(hostile),
  untellable: toss(untellable),
  large: toss(new Error('x'.repeat(10_000_000))),
  abort: toss(new DOMException('left behind', 'AbortError')),
  overflow: () => void setTimeout(overflow, 5),
  event: () => void setTimeout(() => new EventEmitter().emit('error', left()), 5),
  stream: () => void new Readable({ read: fail }).resume(),
  listener: () => {
    const controller = new AbortController();
    controller.signal.addEventListener('abort', fail);
    controller.abort();
  },
  port: () => {
    const { port1, port2 } = new MessageChannel();
    port2.on('message', fail);
    port1.postMessage(1);
  },
  worker: () => void new Worker('throw new Error("left behind")', { eval: true }),
  'child-process': () => void spawn('/no/such/program'),
  socket: () => void connect(1, '127.0.0.1'),
  callback: () => readFile('/no/such/file', fail),
};

const app = createApplication('stray-desk', { database: `sqlite://${file}` })
  .apiKey('DESK_KEY', 'desk', { scopes: ['use', 'svc:admin'] })
  .resource('notes', { text: 'string' }, { tools: true, scopes: ['use'] })
  .get(
    '/wait',
    { tool: true, toolName: 'wait', scopes: ['use'], input: { ms: Type.Integer() } },
    async ({ ms }) => after(ms, 'waited'),
  )
  .behaviour(
    'errand',
    { tools: ['wait', 'create_notes'], input: { text: Type.String() }, scopes: ['use'] },
    async (ctx, { text }) => {
      await ctx.call('wait', { ms: 1_000 });
      await ctx.call('create_notes', { text });
      return 'done';
    },
  );
for (const [name, leave] of Object.entries(strays))
  app.post(`/strays/${name}`, { scopes: ['use'] }, () => {
    leave();
    return name;
  });

export const application = app;
