// The program of the thread of a `ThreadWriter`: one connection, asked by messages. It loads no other part of the package.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Connection } from './connection.ts';
import type { OnStatement } from './driver.ts';
import type { GroupOutcome } from './run-group.ts';
import {
  type ThreadReply,
  type ThreadRequest,
  type ThreadSetup,
  type Timing,
  toSent,
} from './thread-messages.ts';
import { DirectWriter } from './writer.ts';

// Whoever imports it elsewhere gets nothing.
if (parentPort) serve(parentPort, workerData as ThreadSetup);

function serve(port: MessagePort, { path, setup, mode, slowMs }: ThreadSetup): void {
  let timings: Timing[] = [];
  const onStatement: OnStatement = (text, ms) => {
    if (ms > slowMs) timings.push({ text, ms });
  };
  const reply = (work: () => ThreadReply['value']): void => {
    timings = [];
    let said: Pick<ThreadReply, 'value' | 'error'>;
    try {
      said = { value: work() };
    } catch (error) {
      said = { error: toSent(error) };
    }
    port.postMessage({ ...said, timings } satisfies ThreadReply);
  };
  let connection: Connection | undefined;
  // Its first word is whether the file is open.
  reply(() => {
    connection = new Connection(path, setup, mode);
    return undefined;
  });
  const writer = connection && new DirectWriter(connection, onStatement);
  port.on('message', (request: ThreadRequest) => {
    reply(() => (connection && writer ? answer(request, connection, writer) : undefined));
    if (request.kind === 'close') port.close();
  });
}

function answer(request: ThreadRequest, connection: Connection, writer: DirectWriter): ThreadReply['value'] {
  if (request.forget) connection.forgetStatements();
  switch (request.kind) {
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
