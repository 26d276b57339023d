import type { Result } from './programs.ts';

/** A step as it is stored. */
export interface Row {
  readonly what: string;
  readonly state: 'started' | 'waiting' | 'done';
  readonly result: Result;
  /** 0 until it is done. */
  readonly ord: number;
}

/** A question to a human about a step; the newest one. */
export interface Approval {
  readonly key: string;
  readonly n: number;
  status: 'pending' | 'approved' | 'denied' | 'withdrawn';
}

/** What is left of a root when its process is gone: what a database would hold. */
export class ModelStore {
  /** By run, then by number; a run without rows has none. */
  readonly rows = new Map<string, (Row | undefined)[]>();
  /** Ends of runs below the root; undefined: it runs. */
  readonly runs = new Map<string, Result | undefined>();
  readonly approvals = new Map<string, Approval>();
  /** Steps that something outside keeps from being done. */
  readonly waits = new Set<string>();
  /** How often what must not be repeated was done. */
  readonly effects = new Map<string, number>();
  status: 'running' | 'waiting' | 'ready' | 'ended' | 'failed' | 'cancelled' = 'running';
  epoch = 1;
  wakes = 0;
  lastOrd = 0;

  rowsOf(run: string): (Row | undefined)[] {
    let rows = this.rows.get(run);
    if (!rows) {
      rows = [];
      this.rows.set(run, rows);
    }
    return rows;
  }

  /** Stores a step; one that is done stays as it was. @returns its number */
  put(run: string, seq: number, row: Omit<Row, 'ord'>): number {
    const rows = this.rowsOf(run);
    const ord = row.state === 'done' ? ++this.lastOrd : 0;
    if (rows[seq]?.state !== 'done') rows[seq] = { ...row, ord };
    return ord;
  }

  get pending(): Approval[] {
    return [...this.approvals.values()].filter(({ status }) => status === 'pending');
  }

  get hasEnded(): boolean {
    return this.status === 'ended' || this.status === 'failed' || this.status === 'cancelled';
  }

  decide(approval: Approval, status: 'approved' | 'denied'): void {
    approval.status = status;
    this.wake();
  }

  /** Something outside has passed, as far as anybody knows. */
  wake(): void {
    this.wakes++;
    if (this.status === 'waiting') this.status = 'ready';
  }

  /** Questions and waits of a run and all below it end with it. */
  withdraw(run: string): void {
    for (const key of this.waits) if (key.startsWith(`${run}.`)) this.waits.delete(key);
    for (const approval of this.approvals.values())
      if (approval.status === 'pending' && approval.key.startsWith(`${run}.`)) approval.status = 'withdrawn';
  }
}
