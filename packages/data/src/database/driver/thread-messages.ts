import type { MessagePort } from 'node:worker_threads';
import type { BoundValue } from '../bind.ts';
import { SqlFault, toSqlFault } from '../sql-fault.ts';
import { type SqlResult, type UnkeptNumber, UnkeptNumberError } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import type { BoundStatement } from './driver.ts';
import type { GroupOutcome } from './run-group.ts';

/** What a thread is begun with. */
export interface ThreadStart {
  /** It is asked, and answers, here. */
  readonly port: MessagePort;
  /** It counts its answers in the first of them, and tells whoever waits there. */
  readonly answers: Int32Array;
}

/** How a thread opens its connection. */
export interface ThreadSetup {
  readonly path: string;
  /** PRAGMAs. */
  readonly setup: string;
  readonly mode: 'ro' | 'rwc';
  /** Of statements that take longer the time is told. */
  readonly slowMs: number;
}

/** What a thread is asked, one after another. `forget`: another connection has changed the schema. */
export type ThreadRequest = { readonly forget: boolean } & (
  | { readonly kind: 'open'; readonly setup: ThreadSetup }
  | { readonly kind: 'group'; readonly works: readonly (readonly BoundStatement[])[] }
  | { readonly kind: 'run'; readonly statement: BoundStatement }
  | { readonly kind: 'script'; readonly statements: readonly SqlText[] }
  | { readonly kind: 'read'; readonly text: SqlText; readonly values: BoundValue[] }
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'close' }
);

/** How long a statement took. */
export interface Timing {
  readonly text: SqlText;
  readonly ms: number;
}

/** Its answer to each. */
export interface ThreadReply {
  readonly value?: GroupOutcome | SqlResult | boolean | undefined;
  readonly error?: SentError;
  readonly timings: readonly Timing[];
  /** How long it took. */
  readonly ms: number;
}

/** An error as it crosses threads: they would lose its class and its members. */
export type SentError =
  | { readonly kind: 'fault'; readonly code: string; readonly constraint: string | undefined }
  | { readonly kind: 'number'; readonly column: string | undefined; readonly unkept: UnkeptNumber }
  | { readonly kind: 'other'; readonly message: string };

/** For the way to another thread. */
export function toSent(error: unknown): SentError {
  if (error instanceof UnkeptNumberError) return { kind: 'number', column: error.column, unkept: error.kind };
  const fault = toSqlFault(error);
  if (fault) return { kind: 'fault', code: fault.code, constraint: fault.constraint };
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

/** As it was. */
export function fromSent(sent: SentError): Error {
  if (sent.kind === 'number') return new UnkeptNumberError(sent.column, sent.unkept);
  return sent.kind === 'fault' ? new SqlFault(sent.code, sent.constraint) : new Error(sent.message);
}
