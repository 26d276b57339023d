import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import type { ControlAuditOutputEventsItem as AuditEvent } from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { type Column, LongTable } from '../../design/long-table.tsx';
import { counted, toMoment } from '../../design/words.ts';
import { toEventLine } from '../overview/event-line.ts';
import { isFiltered, toAuditFilter } from './audit-filter.ts';
import { EventView } from './event-view.tsx';
import { FilterBar } from './filter-bar.tsx';
import { useAudit } from './use-audit.ts';

/** Who did what: the log, newest first, as it is written; one event of it: `#/audit/01J…`. */
export function page({ place }: PageProps): VNode {
  const { router, live } = useApp();
  const told = live.open.value;
  const { query } = place;
  const filter = toAuditFilter(query);
  const follows = query['follow'] !== 'off';
  const { events, error, ended, older } = useAudit(filter, follows);
  const [id] = place.rest;
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const at = events?.findIndex((one) => one.id === (selected ?? id)) ?? -1;
  const move = (by: number): void => {
    const next = events?.[at === -1 ? 0 : Math.min(Math.max(at + by, 0), events.length - 1)];
    setSelected(next?.id);
    if (next && id !== undefined) router.go(toFragment('audit', [next.id], query));
  };
  useKeys([
    { keys: 'j', says: 'next event', press: () => move(1) },
    { keys: 'k', says: 'event before', press: () => move(-1) },
    {
      keys: 'Enter',
      says: 'open the event',
      press: () => selected !== undefined && router.go(toFragment('audit', [selected], query)),
    },
    {
      keys: 'l',
      says: 'follow, or stand still',
      press: () => router.filter({ follow: follows ? 'off' : '' }),
    },
  ]);
  return (
    <div class="page full">
      <header>
        <h1>Audit</h1>
        <span class="soft" role="status">
          {events && `${counted(events.length, 'event')}${ended ? '' : ' so far'}`}
        </span>
        <div class="more">
          {follows && <Badge tone={told ? 'good' : 'idle'}>{told ? 'as it happens' : 'every 5 s'}</Badge>}
          <button
            type="button"
            class="button slight"
            aria-pressed={follows}
            onClick={() => router.filter({ follow: follows ? 'off' : '' })}
          >
            {follows ? 'Stand still' : 'Follow'} <kbd>l</kbd>
          </button>
        </div>
      </header>
      <FilterBar filter={filter} kinds={[...new Set(events?.map(({ kind }) => kind))]} />
      {error !== undefined && !events && <Failure title="The log could not be read" error={error} />}
      {events?.length === 0 && <NoEvents filtered={isFiltered(filter)} />}
      {(id !== undefined || (events && events.length > 0)) && (
        <div class="log" data-open={id !== undefined}>
          {events && events.length > 0 && (
            <LongTable
              label="Events"
              rows={events}
              columns={columnsOf(query)}
              keyOf={(one) => one.id}
              selected={at === -1 ? undefined : at}
              onNearEnd={older}
            />
          )}
          {id !== undefined && (
            <EventView key={id} id={id} known={events?.find((one) => one.id === id)} query={query} />
          )}
        </div>
      )}
    </div>
  );
}

function columnsOf(query: Readonly<Record<string, string>>): readonly Column<AuditEvent>[] {
  return [
    {
      name: 'When',
      width: '5.5rem',
      cell: ({ at_ms: atMs }) => (
        <time dateTime={new Date(atMs).toISOString()} title={toMoment(atMs)}>
          {toClock(atMs)}
        </time>
      ),
    },
    {
      name: 'Kind',
      width: '9rem',
      extra: true,
      cell: (event) => <Badge tone={toEventLine(event).tone}>{event.kind.replaceAll('_', ' ')}</Badge>,
    },
    {
      name: 'What',
      width: 'minmax(8rem, 1fr)',
      cell: (event) => {
        const { text } = toEventLine(event);
        return (
          <a class="whole plain" href={toFragment('audit', [event.id], query)} title={text}>
            {text}
          </a>
        );
      },
    },
    {
      name: 'Run',
      width: '7rem',
      extra: true,
      cell: ({ run_id: runId }) => (
        <span class="mono soft">{runId === undefined ? '' : `…${String(runId).slice(-8)}`}</span>
      ),
    },
  ];
}

/** The time of day; of another day, the day as well. */
function toClock(atMs: number): string {
  const at = new Date(atMs);
  const sameDay = at.toDateString() === new Date().toDateString();
  return at.toLocaleString('en-GB', {
    ...(sameDay ? { second: '2-digit' } : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
  });
}

function NoEvents({ filtered }: { readonly filtered: boolean }): VNode {
  if (filtered)
    return (
      <Empty title="No event is like that">
        Callers, routes and runs are compared as a whole. <a href={toFragment('audit')}>See all events</a>
      </Empty>
    );
  return (
    <Empty
      title="Nothing has happened yet"
      code={"app.get('/hello', { tool: true }, hello); // each call of a tool is written down"}
    >
      Calls of tools, runs, decisions and refused credentials are written here. This is one that would be:
    </Empty>
  );
}
