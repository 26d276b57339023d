import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import type { LiveType } from '../../app/live.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ControlAuditOutputEventsItem as AuditEvent } from '../../client/control.ts';
import { type AuditFilter, hasGap, mergeEvents, mostHeld, toAuditQuestion } from './audit-filter.ts';

const newestRows = 100;
const olderRows = 500;
/** While the feed does not tell of events. */
const polledMs = 5_000;
const told: readonly LiveType[] = ['run', 'approval', 'device', 'insight', 'webhook', 'audit'];

/** The log as far as it was read. */
export interface Audit {
  /** Newest first. */
  readonly events: readonly AuditEvent[] | undefined;
  readonly error: unknown;
  /** Whether the oldest one is there. */
  readonly ended: boolean;
  older(): void;
}

/** Follows the log, and reads on when it is asked to. */
export function useAudit(filter: AuditFilter, follow: boolean): Audit {
  const { service } = useApp();
  const key = JSON.stringify(filter);
  const [held, setHeld] = useState<
    { readonly key: string; readonly events: readonly AuditEvent[]; readonly ended: boolean } | undefined
  >();
  const reading = useRef(false);
  const newest = usePolled(
    async (signal) => ({
      key,
      ...(await service.control.audit(
        { ...toAuditQuestion(filter, Date.now()), limit: newestRows },
        { signal },
      )),
    }),
    follow ? { everyMs: polledMs, on: told } : {},
    [key],
  );
  useEffect(() => {
    const { value } = newest;
    if (value?.key !== key) return;
    setHeld((before) => {
      const known =
        before?.key === key && !hasGap(before.events, value.events, newestRows) ? before : undefined;
      return {
        key,
        events: mergeEvents(known?.events ?? [], value.events),
        ended: known?.ended ?? value.next === undefined,
      };
    });
  }, [newest.value]);
  const current = held?.key === key ? held : undefined;
  const older = (): void => {
    const before = current?.events.at(-1)?.id;
    if (before === undefined || !current || current.ended || reading.current) return;
    if (current.events.length >= mostHeld) return;
    reading.current = true;
    service.control.audit({ ...toAuditQuestion(filter, Date.now()), before, limit: olderRows }).then(
      ({ events, next }) => {
        reading.current = false;
        setHeld((known) =>
          known?.key === key
            ? { key, events: mergeEvents(known.events, events), ended: next === undefined }
            : known,
        );
      },
      () => {
        // The next scroll asks once more.
        reading.current = false;
      },
    );
  };
  return {
    events: current?.events,
    error: newest.error,
    ended: current?.ended ?? false,
    older,
  };
}
