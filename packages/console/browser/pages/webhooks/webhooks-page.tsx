import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ControlWebhooksListOutputWebhooksItem as EndpointRow } from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { type Column, LongTable } from '../../design/long-table.tsx';
import { Ago } from '../../design/time.tsx';
import { counted, toCount } from '../../design/words.ts';
import { EndpointView } from './endpoint-view.tsx';
import { toEndpointState, toWhy } from './webhook-words.ts';

const everyMs = 2_000;

/** Who is sent messages and whether they arrive: all endpoints, or one: `#/webhooks/watcher%3Alobby_watch`. */
export function page({ place }: PageProps): VNode {
  const { service } = useApp();
  const { value, error, refresh } = usePolled(
    (signal) => service.control.webhooks.list({}, { signal }),
    { everyMs },
    [],
  );
  const endpoints = value?.webhooks;
  const [id] = place.rest;
  const chosen = endpoints?.find((one) => one.id === id);
  return (
    <div class="page full">
      {id === undefined && (
        <header>
          <h1>Webhooks</h1>
          <span class="soft" role="status">
            {endpoints && endpoints.length > 0 && counted(endpoints.length, 'endpoint')}
          </span>
        </header>
      )}
      {error !== undefined && !endpoints && <Failure title="The endpoints could not be read" error={error} />}
      {chosen && <EndpointView key={chosen.id} endpoint={chosen} refresh={refresh} />}
      {id !== undefined && endpoints && !chosen && (
        <Empty title={`There is no endpoint “${id}”`}>
          It may be declared no more. <a href={toFragment('webhooks')}>See all endpoints</a>
        </Empty>
      )}
      {id === undefined && endpoints && endpoints.length > 0 && (
        <LongTable label="Endpoints" rows={endpoints} columns={columns} keyOf={(one) => one.id} />
      )}
      {id === undefined && endpoints?.length === 0 && (
        <Empty
          title="Nobody is sent anything"
          code={
            "app.notify('https://desk.example.com/hook', {\n  events: ['approval_requested', 'run_finished'],\n  secretEnv: 'DESK_HOOK_SECRET',\n});"
          }
        >
          Messages wait in the database, are signed, and are tried for a day. This declares an endpoint; a
          watcher has one with <code>webhook</code>:
        </Empty>
      )}
    </div>
  );
}

const columns: readonly Column<EndpointRow>[] = [
  {
    name: 'Endpoint',
    width: 'minmax(8rem, 1.4fr)',
    cell: ({ id }) => (
      <a class="whole" href={toFragment('webhooks', [id])} title={id}>
        {id}
      </a>
    ),
  },
  { name: 'Host', width: 'minmax(7rem, 1fr)', extra: true, cell: ({ host }) => host },
  {
    name: 'State',
    width: '7rem',
    cell: (row) => <Badge tone={toEndpointState(row)[0]}>{row.state}</Badge>,
  },
  { name: 'Waiting', width: '5rem', numeric: true, cell: ({ queued }) => toCount(queued) },
  { name: 'Given up', width: '5rem', numeric: true, extra: true, cell: ({ failed }) => toCount(failed) },
  {
    name: 'Delivered',
    width: '5.5rem',
    numeric: true,
    extra: true,
    cell: ({ delivered }) => toCount(delivered),
  },
  {
    name: 'Last',
    width: 'minmax(6rem, 1fr)',
    extra: true,
    cell: ({ last_status: status, last_error: error, last_at_ms: atMs }) =>
      atMs === null ? (
        '–'
      ) : (
        <span title={toWhy(error, status)}>
          {status ?? 'no answer'}, <Ago atMs={atMs} />
        </span>
      ),
  },
  {
    name: 'Next try',
    width: '5.5rem',
    extra: true,
    cell: ({ next_attempt_ms: atMs }) => (atMs === null ? '–' : <Ago atMs={atMs} />),
  },
];
