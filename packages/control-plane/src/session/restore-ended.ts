import type { EndedSession, Sessions } from '@waymark/contract/principal';
import type { AuditRecord, AuditStore } from '@waymark/contract/stores';

/** Events read at once. */
const atOnce = 1_000;
/** The most that are read: as many as are remembered where nobody says. */
const mostRead = 10_000;

/**
 * Takes up from the audit log which sessions were ended before this process began: where the log outlives a process, so
 * does a sign-out.
 *
 * @param nowMs epoch milliseconds
 */
export async function restoreEnded(sessions: Sessions, audit: AuditStore, nowMs: number): Promise<void> {
  let before: string | undefined;
  for (let read = 0; read < mostRead; read += atOnce) {
    const records = await audit.list({
      kind: 'session_ended',
      limit: atOnce,
      ...(before !== undefined && { before }),
    });
    const ended = records.map(toEnded);
    for (const one of ended) if (one.expiresAtMs > nowMs) sessions.restore(one);
    const last = records.at(-1);
    // None lasts longer than half a day.
    if (!last || records.length < atOnce || last.at_ms < nowMs - 24 * 3_600_000) return;
    before = last.id;
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
