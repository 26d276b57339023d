import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ControlAuditOutputEventsItem as AuditEvent } from '../../client/control.ts';
import { Failure } from '../../design/failure.tsx';
import { ValueView } from '../../design/value-view.tsx';
import { toMoment } from '../../design/words.ts';
import { toEventLine } from '../overview/event-line.ts';
import { timeOfId } from './time-of-id.ts';

interface ViewProps {
  readonly id: string;
  /** Where it is in the list already. */
  readonly known: AuditEvent | undefined;
  readonly query: Readonly<Record<string, string>>;
}

/** An id is given a moment before or after what it is of. */
const aroundMs = 5_000;
const mostAround = 1_000;

/** One event with everything that stands in the log of it. */
export function EventView({ id, known, query }: ViewProps): VNode {
  const { service } = useApp();
  const { value, error } = usePolled(
    async (signal) => {
      if (known) return { event: known };
      const atMs = timeOfId(id);
      if (atMs === undefined) return { event: undefined };
      const around = { since_ms: atMs - aroundMs, until_ms: atMs + aroundMs, limit: mostAround };
      const { events } = await service.control.audit(around, { signal });
      return { event: events.find((one) => one.id === id) };
    },
    {},
    [id, known === undefined],
  );
  const event = known ?? value?.event;
  const runId = typeof event?.run_id === 'string' ? event.run_id : undefined;
  return (
    <section class="card stack event-view" aria-label="Event">
      <div class="row">
        <h2 class="grow">{event ? event.kind.replaceAll('_', ' ') : 'Event'}</h2>
        <a class="small" href={toFragment('audit', [], query)}>
          Close
        </a>
      </div>
      {event && (
        <>
          <p>{toEventLine(event).text}</p>
          <p class="small soft">{toMoment(event.at_ms)}</p>
          {runId !== undefined && (
            <p class="row wrap">
              <a href={toFragment('runs', [runId])}>Its run</a>
              <a href={toFragment('audit', [], { run: runId })}>All events of this run</a>
            </p>
          )}
          <ValueView value={event} what="the event" />
        </>
      )}
      {!event && value && <p class="soft">The log has no such event, or not any more.</p>}
      {!event && error !== undefined && <Failure title="The event could not be read" error={error} />}
    </section>
  );
}
