// The program of the thread of a `ThreadWriter`: one connection at a time, asked by messages. It loads no other part of the package.
import { workerData } from 'node:worker_threads';
import { Connection } from './connection.ts';
import type { OnStatement } from './driver.ts';
import type { GroupOutcome } from './run-group.ts';
import {
  type ThreadReply,
  type ThreadRequest,
  type ThreadSetup,
  type ThreadStart,
  type Timing,
  toSent,
} from './thread-messages.ts';
import { DirectWriter } from './writer.ts';

// Whoever imports it elsewhere gets nothing.
const start: unknown = workerData;
if (isStart(start)) serve(start);

function isStart(data: unknown): data is ThreadStart {
  return typeof data === 'object' && data !== null && 'port' in data && 'answers' in data;
}

function serve({ port, answers }: ThreadStart): void {
  let timings: Timing[] = [];
  let own: Own | undefined;
  port.on('message', (request: ThreadRequest) => {
    const startMs = performance.now();
    timings = [];
    let said: Pick<ThreadReply, 'value' | 'error'>;
    try {
      if (request.kind === 'open') {
        const { slowMs } = request.setup;
        own = open(request.setup, (text, ms) => {
          if (ms > slowMs) timings.push({ text, ms });
        });
      }
      said = { value: own && answer(request, own) };
      if (request.kind === 'close') own = undefined;
    } catch (error) {
      said = { error: toSent(error) };
    }
    port.postMessage({ ...said, timings, ms: performance.now() - startMs } satisfies ThreadReply);
    Atomics.add(answers, 0, 1);
    Atomics.notify(answers, 0);
  });
}

/** What a thread has while somebody writes with it. */
interface Own {
  readonly connection: Connection;
  readonly writer: DirectWriter;
}

function open({ path, setup, mode }: ThreadSetup, onStatement: OnStatement): Own {
  const connection = new Connection(path, setup, mode);
  return { connection, writer: new DirectWriter(connection, onStatement) };
}

function answer(request: ThreadRequest, { connection, writer }: Own): ThreadReply['value'] {
  if (request.forget) connection.forgetStatements();
  switch (request.kind) {
    case 'open':
      return undefined;
    case 'group':
      return sendable(writer.group(request.works));
    case 'run':
      return writer.run(request.statement);
    case 'read':
      return connection.run(request.text, request.values);
    case 'script':
      writer.runScript(request.statements);
      return undefined;
    case 'begin':
      writer.begin();
      return undefined;
    case 'commit':
      return writer.commit();
    case 'rollback':
      writer.rollBack();
      return undefined;
    case 'close':
      connection.close();
      return undefined;
  }
}

function sendable({ refusal, outcomes, changed }: GroupOutcome): GroupOutcome {
  return {
    ...(refusal !== undefined && { refusal: toSent(refusal) }),
    outcomes: outcomes.map((one) => (one.kind === 'stored' ? one : { ...one, error: toSent(one.error) })),
    changed,
  };
}
