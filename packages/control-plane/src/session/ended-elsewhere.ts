import type { Host } from '@waymark/contract/engine';
import type { EndedSession, Sessions } from '@waymark/contract/principal';
import type { AuditRecord, AuditStore } from '@waymark/contract/stores';

/** Of sessions that are ended. */
const kind = 'session_ended';
/** Events read at once. */
const atOnce = 1_000;
/** The most that are read: as many as are remembered where nobody says. */
const mostRead = 10_000;
/** How often the log is asked what other processes have ended. */
const lookMs = 1_000;

/** What is needed to hear of other processes. */
export type EndedElsewhereParts = Pick<Host, 'now' | 'after' | 'log'> & {
  readonly audit: AuditStore;
  readonly sessions: Sessions;
};

/**
 * Takes up from the audit log which sessions other processes have ended, before this one began and from then on: where the
 * log outlives a process, so does a sign-out, and where several write it, all of them know within a second or two.
 */
export class EndedElsewhere {
  readonly #parts: EndedElsewhereParts;
  /** The number of the last event that was read. */
  #read = 0;
  #fails = false;

  constructor(parts: EndedElsewhereParts) {
    this.#parts = parts;
  }

  /** What was ended so far. @param nowMs epoch milliseconds */
  async restore(nowMs: number): Promise<void> {
    const { audit } = this.#parts;
    // What is stored while the log is read comes once more.
    this.#read = (await audit.following(Number.MAX_SAFE_INTEGER, 0)).newest.n;
    let before: string | undefined;
    for (let read = 0; read < mostRead; read += atOnce) {
      const records = await audit.list({ kind, limit: atOnce, ...(before !== undefined && { before }) });
      this.#take(records, nowMs);
      const last = records.at(-1);
      // None lasts longer than half a day.
      if (!last || records.length < atOnce || last.at_ms < nowMs - 24 * 3_600_000) return;
      before = last.id;
    }
  }

  /** Asks again and again, until the host's timers stand still. */
  follow(): void {
    const { after, log } = this.#parts;
    after(lookMs, async () => {
      try {
        await this.look();
        this.#fails = false;
      } catch (error) {
        if (!this.#fails) log('warn', 'who signed out at other processes cannot be read', { error });
        this.#fails = true;
      }
      this.follow();
    });
  }

  /** What was ended since the last look. */
  async look(): Promise<void> {
    const { audit, now } = this.#parts;
    for (;;) {
      const { records, newest } = await audit.following(this.#read, atOnce, kind);
      const ended = records.map(({ record }) => record);
      this.#take(ended, now());
      const isAll = records.length < atOnce;
      // Of another file, or an older state of it, the numbers begin anew.
      this.#read = isAll ? newest.n : (records.at(-1)?.n ?? newest.n);
      if (isAll) return;
    }
  }

  #take(records: readonly AuditRecord[], nowMs: number): void {
    for (const one of records.map(toEnded)) if (one.expiresAtMs > nowMs) this.#parts.sessions.restore(one);
  }
}

/** What our own event has kept. */
function toEnded({ session, holder, issued_at_ms, expires_at_ms }: AuditRecord): EndedSession {
  return {
    id: String(session),
    holder: String(holder),
    issuedAtMs: Number(issued_at_ms),
    expiresAtMs: Number(expires_at_ms),
  };
}
