import type { Log } from '@waymark/contract/engine';
import type { AuditEvent, AuditRecord, AuditStore } from '@waymark/contract/stores';

/** Events collect this long before they are written together; what is younger may be lost when the process is killed. */
const batchMs = 100;

/** The most events that wait; a store that is slower than its application loses the oldest, and says so. */
const maxWaiting = 10_000;

/** Audit log that writes events to its store in batches. */
export interface AuditLog {
  /** Takes an event without waiting. At most 10,000 wait; then the oldest is dropped, and logged as lost. */
  emit(event: AuditEvent): void;
  /** Writes the events that wait, and resolves when they are stored; call it before the process ends. */
  flush(): Promise<void>;
}

/**
 * Makes an audit log over a store. An event gets its id and time when it is emitted, and is written within about 100 ms.
 */
export function createAuditLog(
  store: AuditStore,
  { now, newId, log }: { readonly now: () => number; readonly newId: () => string; readonly log: Log },
): AuditLog {
  let waiting: AuditRecord[] = [];
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  /** One batch at a time: what happens meanwhile waits here, where it is counted, and not in a queue of batches. */
  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await store.append(batch);
      } catch (error) {
        log('error', 'audit events are lost', { events: batch.length, error });
      }
      if (lost > 0) log('warn', 'audit events are lost: the store is too slow', { events: lost });
      lost = 0;
    }
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= write().finally(() => {
      writing = undefined;
      if (waiting.length > 0) schedule();
    });
    return writing;
  };

  const schedule = (): void => {
    if (!writing) timer ??= setTimeout(() => void flush(), batchMs).unref();
  };

  return {
    emit(event) {
      if (waiting.length === maxWaiting) {
        waiting.shift();
        // Told at once, since the store may never answer, and counted for the end.
        if (++lost === 1) log('warn', 'an audit event is lost: the store is too slow');
      }
      waiting.push({ ...event, id: newId(), at_ms: now() });
      schedule();
    },
    flush,
  };
}
