import { availableParallelism } from 'node:os';
import { receiveMessageOnPort } from 'node:worker_threads';
import type { BoundValue } from '../bind.ts';
import { SqlFault } from '../sql-fault.ts';
import type { SqlResult } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import type { BoundStatement, OnStatement } from './driver.ts';
import type { GroupOutcome } from './run-group.ts';
import { type SqlThread, sqlThreads } from './sql-threads.ts';
import {
  fromSent,
  type SentError,
  type ThreadReply,
  type ThreadRequest,
  type ThreadSetup,
} from './thread-messages.ts';
import type { Writer } from './writer.ts';

/** A request without what is added to each. */
type Asked = ThreadRequest extends infer R ? (R extends unknown ? Omit<R, 'forget'> : never) : never;

interface Waiting {
  resolve(value: ThreadReply['value']): void;
  reject(error: unknown): void;
}

/** Where there is one processor, the longest that the event loop leaves it to the thread for one answer, milliseconds. */
const leftMs = 1;
/** The same where an answer is to take longer: the thread has the processor until it waits for the disk. */
const briefMs = 0.05;

/**
 * A connection on a thread of its own: the event loop goes on while it waits for the disk. The thread keeps no process alive
 * while it is asked nothing.
 *
 * Where there is one processor, the event loop leaves it to the thread when it asks something: it cannot go on beside it, and
 * the thread would have the processor when the event loop has nothing left to do, or the operating system takes it away, after
 * 10 ms on many. What is answered within a millisecond is there at once.
 *
 * Should it ever end by itself, nothing more is done: by then another file may have the name of the
 * one that it had open.
 */
export class ThreadWriter implements Writer {
  readonly #thread: SqlThread;
  readonly #isSole: boolean;
  readonly #onStatement: OnStatement;
  // Answers come in the order of the requests.
  readonly #waiting: Waiting[] = [];
  #ended: Error | undefined;
  #closing: Promise<void> | undefined;
  #forget = false;
  /** How long its last answer took. */
  #tookMs = Number.POSITIVE_INFINITY;

  private constructor(thread: SqlThread, onStatement: OnStatement, processors: number) {
    this.#onStatement = onStatement;
    this.#thread = thread;
    this.#isSole = processors === 1;
    thread.port.on('message', (reply: ThreadReply) => this.#answered(reply)).unref();
    thread.worker.on('error', (error) => this.#end(toFault(error)));
    thread.worker.on('exit', () => this.#end(toFault()));
  }

  /**
   * Gives a thread its connection, which is open then.
   *
   * @param processors that the process may use
   * @throws {SqlFault} what kept it from that
   */
  static async open(
    setup: ThreadSetup,
    onStatement: OnStatement,
    processors = availableParallelism(),
  ): Promise<ThreadWriter> {
    const writer = new ThreadWriter(sqlThreads.take(), onStatement, processors);
    try {
      await writer.#ask({ kind: 'open', setup });
      return writer;
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  async group(works: readonly (readonly BoundStatement[])[]): Promise<GroupOutcome> {
    const { refusal, outcomes, changed } = (await this.#ask({ kind: 'group', works })) as GroupOutcome;
    return {
      ...(refusal !== undefined && { refusal: fromSent(refusal as SentError) }),
      outcomes: outcomes.map((one) =>
        one.kind === 'stored' ? one : { ...one, error: fromSent(one.error as SentError) },
      ),
      changed,
    };
  }

  async begin(): Promise<void> {
    await this.#ask({ kind: 'begin' });
  }

  async run(statement: BoundStatement): Promise<SqlResult> {
    return (await this.#ask({ kind: 'run', statement })) as SqlResult;
  }

  async runScript(statements: readonly SqlText[]): Promise<void> {
    await this.#ask({ kind: 'script', statements });
  }

  /** Outside of transactions. */
  async read(text: SqlText, values: BoundValue[] = []): Promise<SqlResult> {
    return (await this.#ask({ kind: 'read', text, values })) as SqlResult;
  }

  async commit(): Promise<boolean> {
    return (await this.#ask({ kind: 'commit' })) as boolean;
  }

  async rollBack(): Promise<void> {
    await this.#ask({ kind: 'rollback' });
  }

  forgetStatements(): void {
    this.#forget = true;
  }

  /** Closes the connection, after what it was asked before. */
  close(): Promise<void> {
    this.#closing ??= this.#ended ? Promise.resolve() : this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#ask({ kind: 'close' });
    } catch (error) {
      // A thread that may still have the file open is nobody's.
      void this.#thread.worker.terminate();
      throw error;
    }
    this.#end(toFault());
    await sqlThreads.giveBack(this.#thread);
  }

  #ask(request: Asked): Promise<ThreadReply['value']> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(this.#ended);
        return;
      }
      const { worker, port, answers } = this.#thread;
      const seen = Atomics.load(answers, 0);
      // What cannot be sent is thrown here, and nobody waits for an answer to it.
      port.postMessage({ ...request, forget: this.#forget });
      this.#forget = false;
      if (this.#waiting.push({ resolve, reject }) === 1) worker.ref();
      if (this.#isSole) this.#leaveProcessor(seen);
    });
  }

  /** @param seen answers until it was asked */
  #leaveProcessor(seen: number): void {
    const { port, answers } = this.#thread;
    Atomics.wait(answers, 0, seen, this.#tookMs < leftMs ? leftMs : briefMs);
    for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port))
      this.#answered(got.message as ThreadReply);
  }

  #answered({ value, error, timings, ms }: ThreadReply): void {
    this.#tookMs = ms;
    for (const { text, ms } of timings) this.#onStatement(text, ms);
    const first = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#thread.worker.unref();
    if (error) first?.reject(fromSent(error));
    else first?.resolve(value);
  }

  /** Whether what it was asked is stored, nobody knows. */
  #end(fault: SqlFault): void {
    this.#ended ??= fault;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
  }
}

function toFault(error?: unknown): SqlFault {
  return new SqlFault(/\b(EMFILE|ENFILE)\b/.test(String(error)) ? 'DESCRIPTORS' : 'THREAD_ENDED');
}
