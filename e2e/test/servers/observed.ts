import { DatabaseSync } from 'node:sqlite';
import type { ClientEnd } from './client.ts';
import type { Decision } from './humans.ts';
import type { Job } from './jobs.ts';
import type { Happened } from './outside.ts';

/** A run as it stands in the file; roots have the key that they were started with. */
export interface RunRow {
  readonly runId: string;
  readonly rootId: string;
  readonly status: string;
  readonly key: string | null;
  /** Epoch milliseconds; null before its end. */
  readonly createdMs: number;
  readonly endedMs: number | null;
  /** Its error, with code and message. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A step as it stands in the file. */
export interface OpRow {
  readonly runId: string;
  readonly seq: number;
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly ord: number | null;
  /** Whether its call was answered; undefined of what is no call. */
  readonly ok: boolean | undefined;
  readonly job: string | undefined;
  readonly n: number | undefined;
  /** By which it is found in the ledger: one for each answer of a model that it was given. */
  readonly serials: readonly number[];
}

/** An approval as it stands in the file. */
export interface ApprovalRow {
  readonly approvalId: string;
  readonly rootId: string;
  readonly status: string;
  readonly tool: string;
  readonly job: string;
  readonly n: number;
  /** Epoch milliseconds; null before it is decided. */
  readonly requestedMs: number;
  readonly decidedMs: number | null;
}

/** One model call of the ledger, by the number that its answer had; 0 where nobody knows it. */
export interface SpendRow {
  readonly serial: number;
  readonly estimated: boolean;
}

/** What stands in the file when everything has ended. */
export interface Stored {
  readonly runs: readonly RunRow[];
  readonly ops: readonly OpRow[];
  readonly approvals: readonly ApprovalRow[];
  readonly spend: readonly SpendRow[];
  /** Rows that effects wrote, as `<job> <table> <n>`, as often as they are there. */
  readonly rows: readonly string[];
  /** Events of the audit log. */
  readonly audit: readonly { readonly kind: string; readonly runId: string; readonly approvalId?: string }[];
}

/** All that was seen of a series, from outside and in the file. */
export interface Observed extends Stored {
  readonly jobs: readonly Job[];
  /** By the name of the job; none where its client was told nothing. */
  readonly ends: ReadonlyMap<string, ClientEnd>;
  readonly happened: readonly Happened[];
  readonly decisions: readonly Decision[];
  /** By the name of the job: the steps that a reader is told who comes when all is over. */
  readonly steps: ReadonlyMap<string, readonly number[]>;
  /** When servers were killed, epoch milliseconds. */
  readonly killedMs: readonly number[];
  /** Their database is a server's, which lets nobody write for 5 s when one of them dies in a transaction. */
  readonly isElsewhere: boolean;
  /** Clocks of servers were set: when a run began is said by them. */
  readonly clocksWereSet: boolean;
  /** What servers said that nobody expected. */
  readonly complaints: readonly string[];
}

type Row = Readonly<Record<string, string | number | null>>;

/** Reads a file without the product's own code: what it says of itself is not asked. */
export class Journal {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true });
    this.#database.exec('pragma busy_timeout = 10000');
  }

  close(): void {
    this.#database.close();
  }

  #all(sql: string): readonly Row[] {
    return this.#database.prepare(sql).all() as readonly Row[];
  }

  /** Roots that somebody works on, or is to: their epoch, and how often a process died around them without a step. */
  underWay(): ReadonlyMap<string, { readonly epoch: number; readonly attempts: number }> {
    const rows = this.#all(`select id, epoch, attempts from svc__run
      where parent_id is null and status in ('running', 'ready')`);
    return new Map(
      rows.map(({ id, epoch, attempts }) => [
        String(id),
        { epoch: Number(epoch), attempts: Number(attempts) },
      ]),
    );
  }

  /** Epochs of roots, of those that have ended or wait a larger one than any. */
  epochs(): ReadonlyMap<string, number> {
    const rows = this.#all('select id, epoch, status from svc__run where parent_id is null');
    const isOpen = (status: unknown): boolean => status === 'running' || status === 'ready';
    return new Map(
      rows.map(({ id, epoch, status }) => [
        String(id),
        isOpen(status) ? Number(epoch) : Number.POSITIVE_INFINITY,
      ]),
    );
  }

  read(): Stored {
    const text = (value: Row[string] | undefined): string => String(value ?? '');
    return {
      runs: this.#all('select * from svc__run').map((row) => ({
        ...{ runId: text(row['id']), rootId: text(row['root_id']), status: text(row['status']) },
        key: row['idempotency_key'] === null ? null : text(row['idempotency_key']),
        ...{ createdMs: Number(row['created_ms']), endedMs: toMs(row['ended_ms']) },
        error: row['error'] === null ? null : JSON.parse(text(row['error'])),
      })),
      ops: this.#all('select run_id, seq, kind, name, state, ord, input, value, spend from svc__op').map(
        toOp,
      ),
      approvals: this.#all('select * from svc__approval').map((row) => {
        const { job = '', n = 0 } = innermost(JSON.parse(text(row['arguments'])));
        return {
          ...{ approvalId: text(row['id']), rootId: text(row['root_id']), status: text(row['status']) },
          ...{ tool: text(row['tool']), job, n },
          ...{ requestedMs: Number(row['requested_ms']), decidedMs: toMs(row['decided_ms']) },
        };
      }),
      spend: this.#all('select cache_read_tokens, estimated from svc__spend').map((row) => ({
        serial: Number(row['cache_read_tokens']),
        estimated: row['estimated'] === 1,
      })),
      rows: ['notes', 'stamps'].flatMap((table) =>
        this.#all(`select job, n from ${table}`).map(({ job, n }) => `${job} ${table} ${n}`),
      ),
      audit: this.#all('select kind, run_id, record from svc__audit').map((row) => {
        const { approval_id: approvalId } = JSON.parse(text(row['record'])) as { approval_id?: string };
        const event = { kind: text(row['kind']), runId: text(row['run_id']) };
        return approvalId === undefined ? event : { ...event, approvalId };
      }),
    };
  }
}

function toMs(value: string | number | null | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

function toOp(row: Row): OpRow {
  const value = JSON.parse(String(row['value'])) as { readonly ok?: boolean } | null;
  const spend = JSON.parse(String(row['spend'] ?? '[]')) as readonly { readonly cacheReadTokens: number }[];
  const { job, n } = innermost(JSON.parse(String(row['input'])));
  return {
    ...{ runId: String(row['run_id']), seq: Number(row['seq']), kind: String(row['kind']) },
    ...{ name: String(row['name']), state: String(row['state']) },
    ord: row['ord'] === null ? null : Number(row['ord']),
    ok: value?.ok,
    ...{ job, n },
    serials: spend.map(({ cacheReadTokens }) => cacheReadTokens),
  };
}

/** What a call is made with, wherever in a row it stands. */
function innermost(value: unknown): { readonly job?: string | undefined; readonly n?: number | undefined } {
  if (typeof value !== 'object' || value === null) return {};
  const { job, n } = value as { readonly job?: string; readonly n?: number };
  if (typeof job === 'string' && typeof n === 'number') return { job, n };
  for (const inner of Object.values(value)) {
    const found = innermost(inner);
    if (found.job !== undefined) return found;
  }
  return {};
}
