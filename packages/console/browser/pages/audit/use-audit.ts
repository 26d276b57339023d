import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { useFeed } from '../../app/use-feed.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ControlAuditOutputEventsItem as AuditEvent } from '../../client/control.ts';
import { type AuditFilter, hasGap, mergeEvents, mostHeld, toAuditQuestion } from './audit-filter.ts';

const newestRows = 100;
const olderRows = 500;
const polledMs = 5_000;
/** While the feed tells, it is asked only so that nothing is missed for good. */
const toldMs = 30_000;
const gatherMs = 250;

/** The log as far as it was read. */
export interface Audit {
  /** Newest first. */
  readonly events: readonly AuditEvent[] | undefined;
  readonly error: unknown;
  /** Whether the oldest one is there. */
  readonly ended: boolean;
  /** Whether it is told of what happens. */
  readonly told: boolean;
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
  const [told, setTold] = useState(false);
  const newest = usePolled(
    async (signal) => ({
      key,
      ...(await service.control.audit(
        { ...toAuditQuestion(filter, Date.now()), limit: newestRows },
        { signal },
      )),
    }),
    { everyMs: follow ? (told ? toldMs : polledMs) : 0 },
    [key],
  );
  const gathered = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isTold = useFeed(follow, toFeedKinds(filter), () => {
    gathered.current ??= setTimeout(() => {
      gathered.current = undefined;
      newest.refresh();
    }, gatherMs);
  });
  useEffect(() => setTold(isTold), [isTold]);
  useEffect(() => () => clearTimeout(gathered.current), []);
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
    told: isTold,
    older,
  };
}

/** Steps of runs stand in no log: they wake nobody. */
function toFeedKinds({ kind }: AuditFilter): string {
  return kind === '' ? 'run,approval,device,insight,webhook,audit' : kind;
}
