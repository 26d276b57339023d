import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import type { Place } from '../../app/place.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { RunRow, RunRowStatus } from '../../client/control.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { type Column, LongTable } from '../../design/long-table.tsx';
import { Ago, Lasting } from '../../design/time.tsx';
import { counted } from '../../design/words.ts';
import { mergeRuns } from './merge-runs.ts';

const statuses: readonly RunRowStatus[] = [
  ...(['running', 'awaiting_approval', 'waiting_provider', 'completed', 'halted'] as const),
  ...(['max_tokens', 'step_limit', 'budget_exhausted', 'failed', 'cancelled'] as const),
];
const pageRows = 100;
const moreRows = 500;
const everyMs = 2_000;

const columns: readonly Column<RunRow>[] = [
  {
    name: 'Run',
    width: 'minmax(7rem, 1.6fr)',
    cell: ({ run_id: id, name }) => (
      <a class="whole" href={toFragment('runs', [id])} title={id}>
        {name}
      </a>
    ),
  },
  { name: 'Kind', width: '6rem', cell: ({ kind }) => <span class="soft">{kind}</span>, extra: true },
  { name: 'Status', width: 'minmax(7.5rem, 10rem)', cell: ({ status }) => <StatusBadge status={status} /> },
  { name: 'Caller', width: 'minmax(6rem, 1fr)', cell: ({ caller }) => caller, extra: true },
  { name: 'Through', width: '5rem', cell: ({ via }) => <span class="soft">{via ?? '–'}</span>, extra: true },
  {
    name: 'Took',
    width: '6.5rem',
    numeric: true,
    extra: true,
    cell: ({ created_at_ms: fromMs, ended_at_ms: untilMs }) => <Lasting fromMs={fromMs} untilMs={untilMs} />,
  },
  { name: 'Began', width: '5.5rem', numeric: true, cell: ({ created_at_ms: atMs }) => <Ago atMs={atMs} /> },
];

/** The runs of the service, newest first, and as they change. */
export function RunList({ place }: { readonly place: Place }): VNode {
  const { router } = useApp();
  const status = statuses.find((one) => one === place.query['status']);
  const { rows, error, more, ended } = useRuns(status);
  const [selected, setSelected] = useState<number | undefined>(undefined);
  const filter = useRef<HTMLSelectElement>(null);
  const move = (by: number): void =>
    setSelected((before) => Math.min(Math.max((before ?? -by) + by, 0), (rows?.length ?? 1) - 1));
  useKeys([
    { keys: 'j', says: 'next run', press: () => move(1) },
    { keys: 'k', says: 'run before', press: () => move(-1) },
    {
      keys: 'Enter',
      says: 'open the run',
      press: () => {
        const row = selected === undefined ? undefined : rows?.[selected];
        if (row) router.go(toFragment('runs', [row.run_id]));
      },
    },
    { keys: 'f', says: 'filter by status', press: () => filter.current?.focus() },
  ]);
  return (
    <div class="page full">
      <header>
        <h1>Runs</h1>
        <span class="soft">{rows && `${counted(rows.length, 'run')}${ended ? '' : ' so far'}`}</span>
        <div class="more">
          <select
            ref={filter}
            class="input slight"
            aria-label="Status"
            value={status ?? ''}
            onChange={({ currentTarget }) => router.filter({ status: currentTarget.value })}
          >
            <option value="">any status</option>
            {statuses.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </div>
      </header>
      {error !== undefined && !rows && <Failure title="The runs could not be read" error={error} />}
      {rows?.length === 0 && <NoRuns filtered={status !== undefined} />}
      {rows !== undefined && rows.length > 0 && (
        <LongTable
          label="Runs"
          rows={rows}
          columns={columns}
          keyOf={({ run_id: id }) => id}
          selected={selected}
          onNearEnd={more}
        />
      )}
    </div>
  );
}

/** Follows the newest page, and reads on when it is asked to. */
function useRuns(status: RunRowStatus | undefined): {
  readonly rows: readonly RunRow[] | undefined;
  readonly error: unknown;
  readonly ended: boolean;
  more(): void;
} {
  const { service } = useApp();
  const [rows, setRows] = useState<readonly RunRow[] | undefined>(undefined);
  const ended = useRef(false);
  const reading = useRef(false);
  const newest = usePolled(
    (signal) => service.control.runs.list({ status, limit: pageRows }, { signal }),
    everyMs,
    [status],
  );
  useEffect(() => {
    ended.current = false;
    setRows(undefined);
  }, [status]);
  useEffect(() => {
    const page = newest.value?.runs;
    if (!page) return;
    const whole = page.length < pageRows;
    ended.current ||= whole;
    setRows((known) => mergeRuns(known ?? [], page, whole));
  }, [newest.value]);
  const more = (): void => {
    const after = rows?.at(-1)?.run_id;
    if (after === undefined || ended.current || reading.current) return;
    reading.current = true;
    service.control.runs.list({ status, after, limit: moreRows }).then(
      ({ runs }) => {
        ended.current = runs.length < moreRows;
        reading.current = false;
        setRows((known) => (known?.at(-1)?.run_id === after ? [...known, ...runs] : known));
      },
      () => {
        // The next scroll asks once more.
        reading.current = false;
      },
    );
  };
  return { rows, error: newest.error, ended: ended.current, more };
}

function NoRuns({ filtered }: { readonly filtered: boolean }): VNode {
  if (filtered) return <Empty title="No run has this status" />;
  return (
    <Empty
      title="Nothing has run yet"
      code={"app.agent('support', { tools: ['list_tickets'], system: '…' });"}
    >
      Each call of an agent, a behaviour or a flow is a run. Start one in the{' '}
      <a href={toFragment('playground')}>playground</a>, or declare an agent:
    </Empty>
  );
}
