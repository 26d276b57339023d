import type { Ref, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import type { Place } from '../../app/place.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { RunRow, RunRowStatus } from '../../client/control.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { DraftField } from '../../design/draft-field.tsx';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { type Column, LongTable } from '../../design/long-table.tsx';
import { Ago, Lasting } from '../../design/time.tsx';
import { counted, toShortCount, toUsd } from '../../design/words.ts';
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
  {
    name: 'Took',
    width: '6.5rem',
    numeric: true,
    extra: true,
    cell: ({ created_at_ms: fromMs, ended_at_ms: untilMs }) => <Lasting fromMs={fromMs} untilMs={untilMs} />,
  },
  {
    name: 'Steps',
    width: '4rem',
    numeric: true,
    extra: true,
    cell: ({ step_count: count }) => <span class="soft">{count}</span>,
  },
  {
    name: 'Tokens',
    width: '4.5rem',
    numeric: true,
    extra: true,
    cell: ({ tokens }) => <span class="soft">{toShortCount(tokens)}</span>,
  },
  { name: 'Cost', width: '5rem', numeric: true, extra: true, cell: ({ cost_usd: usd }) => toUsd(usd) },
  { name: 'Began', width: '5.5rem', numeric: true, cell: ({ created_at_ms: atMs }) => <Ago atMs={atMs} /> },
];

/** The runs of the service, newest first, and as they change. */
export function RunList({ place }: { readonly place: Place }): VNode {
  const { router } = useApp();
  const filter = toFilter(place.query);
  const { rows, error, more, ended } = useRuns(filter);
  // By its id: others come in above it.
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const first = useRef<HTMLSelectElement>(null);
  const at = rows?.findIndex(({ run_id: id }) => id === chosen) ?? -1;
  const move = (by: number): void =>
    setChosen(rows?.[at === -1 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]?.run_id);
  useKeys([
    { keys: 'j', says: 'next run', press: () => move(1) },
    { keys: 'k', says: 'run before', press: () => move(-1) },
    {
      keys: 'Enter',
      says: 'open the run',
      press: () => {
        const row = rows?.[at];
        if (row) router.go(toFragment('runs', [row.run_id]));
      },
    },
    { keys: 'f', says: 'filter', press: () => first.current?.focus() },
  ]);
  return (
    <div class="page full">
      <header>
        <h1>Runs</h1>
        <span class="soft">{rows && `${counted(rows.length, 'run')}${ended ? '' : ' so far'}`}</span>
        <div class="more">
          <Filters filter={filter} first={first} />
        </div>
      </header>
      {error !== undefined && !rows && <Failure title="The runs could not be read" error={error} />}
      {rows?.length === 0 && <NoRuns filtered={Object.values(filter).some((one) => one !== undefined)} />}
      {rows !== undefined && rows.length > 0 && (
        <LongTable
          label="Runs"
          rows={rows}
          columns={columns}
          keyOf={({ run_id: id }) => id}
          selected={at === -1 ? undefined : at}
          onNearEnd={more}
        />
      )}
    </div>
  );
}

interface RunFilter {
  readonly status: RunRowStatus | undefined;
  readonly kind: RunRow['kind'] | undefined;
  readonly name: string | undefined;
  readonly caller: string | undefined;
}

const kinds = ['agent', 'behaviour', 'flow'] as const;

function toFilter(query: Place['query']): RunFilter {
  return {
    status: statuses.find((one) => one === query['status']),
    kind: kinds.find((one) => one === query['kind']),
    name: query['name'],
    caller: query['caller'],
  };
}

/** What is left out; each choice stands in the address. */
function Filters({
  filter,
  first,
}: {
  readonly filter: RunFilter;
  readonly first: Ref<HTMLSelectElement>;
}): VNode {
  const { router } = useApp();
  const write =
    (name: keyof RunFilter) =>
    ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }): void =>
      router.filter({ [name]: value });
  return (
    <>
      <select
        ref={first}
        class="input slight"
        aria-label="Status"
        value={filter.status ?? ''}
        onChange={write('status')}
      >
        <option value="">any status</option>
        {statuses.map((one) => (
          <option key={one} value={one}>
            {one.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      <select class="input slight" aria-label="Kind" value={filter.kind ?? ''} onChange={write('kind')}>
        <option value="">any kind</option>
        {kinds.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <DraftField label="Name" value={filter.name ?? ''} write={(value) => router.filter({ name: value })} />
      <DraftField
        label="Caller"
        value={filter.caller ?? ''}
        write={(value) => router.filter({ caller: value })}
      />
    </>
  );
}

/** Follows the newest page, and reads on when it is asked to. */
function useRuns(filter: RunFilter): {
  readonly rows: readonly RunRow[] | undefined;
  readonly error: unknown;
  readonly ended: boolean;
  more(): void;
} {
  const { service } = useApp();
  const [rows, setRows] = useState<readonly RunRow[] | undefined>(undefined);
  const ended = useRef(false);
  const key = [filter.status, filter.kind, filter.name, filter.caller];
  const reading = useRef(false);
  const newest = usePolled(
    (signal) => service.control.runs.list({ ...filter, limit: pageRows }, { signal }),
    { everyMs, on: ['run', 'approval'] },
    key,
  );
  useEffect(() => {
    ended.current = false;
    setRows(undefined);
  }, key);
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
    service.control.runs.list({ ...filter, after, limit: moreRows }).then(
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
