import { once } from 'node:events';
import { createRequire } from 'node:module';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { BoundValue } from '../bind.ts';
import { SqlFault } from '../sql-fault.ts';
import type { SqlResult } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import type { BoundStatement, OnStatement } from './driver.ts';
import type { GroupOutcome } from './run-group.ts';
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

/**
 * A connection on a thread of its own: the event loop goes on while it waits for the disk. The thread keeps no process alive
 * while it is asked nothing. Should it ever end by itself, nothing more is done: by then another file may have the name of the
 * one that it had open.
 */
export class ThreadWriter implements Writer {
  readonly #thread: Worker;
  readonly #onStatement: OnStatement;
  // Answers come in the order of the requests.
  readonly #waiting: Waiting[] = [];
  #ended: Error | undefined;
  #forget = false;

  private constructor(setup: ThreadSetup, onStatement: OnStatement) {
    this.#onStatement = onStatement;
    this.#thread = new Worker(threadFile(), { workerData: setup, env: SHARE_ENV, execArgv: [] });
    this.#thread.on('message', (reply: ThreadReply) => this.#answered(reply));
    this.#thread.on('error', (error) => this.#end(toFault(error)));
    this.#thread.on('exit', () => this.#end(toFault()));
  }

  /** Begins a thread, whose connection is open then. @throws {SqlFault} what kept it from that */
  static async open(setup: ThreadSetup, onStatement: OnStatement): Promise<ThreadWriter> {
    const writer = new ThreadWriter(setup, onStatement);
    try {
      await new Promise<unknown>((resolve, reject) => writer.#waiting.push({ resolve, reject }));
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
  async close(): Promise<void> {
    if (this.#ended) return;
    const exit = once(this.#thread, 'exit');
    await this.#ask({ kind: 'close' });
    // It was let go of with the answer; from here on its end is awaited.
    this.#thread.ref();
    await exit;
  }

  #ask(request: Asked): Promise<ThreadReply['value']> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(this.#ended);
        return;
      }
      // What cannot be sent is thrown here, and nobody waits for an answer to it.
      this.#thread.postMessage({ ...request, forget: this.#forget });
      this.#forget = false;
      if (this.#waiting.push({ resolve, reject }) === 1) this.#thread.ref();
    });
  }

  #answered({ value, error, timings }: ThreadReply): void {
    for (const { text, ms } of timings) this.#onStatement(text, ms);
    const first = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#thread.unref();
    if (error) first?.reject(fromSent(error));
    else first?.resolve(value);
  }

  /** Whether what it was asked is stored, nobody knows. */
  #end(fault: SqlFault): void {
    this.#ended ??= fault;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
  }
}

/** Its program beside this file; of what is built, the one of the package. */
function threadFile(): URL | string {
  return import.meta.url.endsWith('.ts')
    ? new URL('./sql-thread.ts', import.meta.url)
    : createRequire(import.meta.url).resolve('@waymark/data/sql-thread');
}

function toFault(error?: unknown): SqlFault {
  return new SqlFault(/\b(EMFILE|ENFILE)\b/.test(String(error)) ? 'DESCRIPTORS' : 'THREAD_ENDED');
}
