import type { ComponentChildren, VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ControlOverviewOutput } from '../../client/control.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { Failure } from '../../design/failure.tsx';
import { LineChart } from '../../design/line-chart.tsx';
import { Ago } from '../../design/time.tsx';
import { counted, toCount, toDuration, toRough, toShortCount, toUsd } from '../../design/words.ts';
import { toEventLine } from './event-line.ts';
import { countByStatus, toHours } from './figures.ts';

const everyMs = 5_000;
const shownEvents = 16;
const mostCells = 1_000;
const noRuns = {
  ...{ running: 0, waiting: 0, completed: 0, halted: 0, max_tokens: 0 },
  ...{ step_limit: 0, budget_exhausted: 0, failed: 0, cancelled: 0 },
};
const hours = 24;

/** How the service is, at a glance. */
export function page(): VNode {
  const { session } = useApp();
  return (
    <div class="page">
      <header>
        <h1>Overview</h1>
      </header>
      <HealthTiles />
      {session.isAdmin ? <Insides /> : <Little />}
    </div>
  );
}

function HealthTiles(): VNode {
  const { connection } = useApp();
  const health = connection.health.value;
  return (
    <div class="tiles">
      <Tile title="Health" value={health?.status ?? '…'}>
        {health &&
          `up ${toRough(health.uptime_ms)} · what comes waits ${toDuration(health.event_loop_p99_ms)} at most`}
      </Tile>
      <Tile
        title="Wait for you"
        value={toCount(health?.pending_approvals ?? 0)}
        href={toFragment('approvals')}
      >
        {health && health.provider_waits > 0
          ? counted(health.provider_waits, 'step waits', 'steps wait')
          : 'approvals'}
        {health && health.provider_waits > 0 && ' for a model'}
      </Tile>
      <Tile title="Serves" value={counted(health?.routes ?? 0, 'route')}>
        {health &&
          [
            counted(health.tools, 'tool'),
            counted(health.agents + health.behaviours + health.flows, 'agent or flow', 'agents and flows'),
            counted(health.devices, 'device'),
          ].join(' · ')}
      </Tile>
    </div>
  );
}

function Little(): VNode {
  return (
    <p class="note" role="note">
      That is what everybody may see. Your key does not hold the scope <code>svc:admin</code>, which
      everything else here asks for.
    </p>
  );
}

function Insides(): VNode {
  const { service } = useApp();
  const { value, error } = usePolled(
    (signal) => service.control.overview({}, { signal }),
    { everyMs, on: ['run', 'approval'] },
    [],
  );
  return (
    <>
      <div class="halves">
        <RunsPanel overview={value} error={error} />
        <SpendPanel overview={value} error={error} />
      </div>
      <div class="halves">
        <EventsPanel />
        <div class="stack">
          <RequestsPanel overview={value} error={error} />
          <WarningsPanel />
        </div>
      </div>
    </>
  );
}

interface OverviewProps {
  readonly overview: ControlOverviewOutput | undefined;
  readonly error: unknown;
}

function RunsPanel({ overview, error }: OverviewProps): VNode {
  const counts = countByStatus(overview?.runs ?? noRuns);
  return (
    <Panel title="Runs" href={toFragment('runs')} error={overview ? undefined : error}>
      {overview && counts.length === 0 && (
        <p class="soft">
          Nothing ran in 24 hours. Start something in the <a href={toFragment('playground')}>playground</a>.
        </p>
      )}
      <ul class="states">
        {counts.map(([status, count]) => (
          <li key={status}>
            <a href={toFragment('runs', [], { status: status === 'waiting' ? 'awaiting_approval' : status })}>
              <span class="big">{toCount(count)}</span>
              <StatusBadge status={status} />
            </a>
          </li>
        ))}
      </ul>
      {counts.length > 0 && <p class="small soft">now, and ended in the last 24 hours</p>}
    </Panel>
  );
}

function SpendPanel({ overview, error }: OverviewProps): VNode {
  const { service, now } = useApp();
  const since = Math.floor(now.value / 3_600_000 - hours + 1) * 3_600_000;
  const { value } = usePolled(
    (signal) => service.control.spend.list({ since_ms: since, bucket: 'hour', limit: mostCells }, { signal }),
    { everyMs: everyMs * 6 },
    [since],
  );
  const spend = value && toHours(value.cells, now.peek(), hours);
  return (
    <Panel title="Spent on models in 24 hours" error={overview ? undefined : error}>
      {overview && (
        <p>
          <span class="big">{toUsd(overview.spent.cost_usd)}</span>{' '}
          <span class="soft">
            {toShortCount(overview.spent.tokens)} tokens in {counted(overview.spent.calls, 'call')} · today{' '}
            {toUsd(overview.spent_today.cost_usd)}
          </span>
        </p>
      )}
      {spend && (
        <LineChart
          label="Tokens in each of the last 24 hours"
          times={spend.times}
          series={[{ name: 'tokens', color: '--accent', values: spend.tokens }]}
          format={toShortCount}
          bars
        />
      )}
    </Panel>
  );
}

function RequestsPanel({ overview, error }: OverviewProps): VNode {
  const requests = overview?.requests;
  return (
    <Panel title="Requests in 24 hours" error={overview ? undefined : error}>
      {overview && !requests && <p class="soft">They are counted where this process answers them itself.</p>}
      {requests && (
        <dl class="figures">
          <Figure name="answered" value={toCount(requests.count)} />
          <Figure name="4xx" value={toCount(requests.client_errors)} />
          <Figure name="5xx" value={toCount(requests.server_errors)} />
          <Figure name="half within" value={requests.p50_ms === null ? '–' : toDuration(requests.p50_ms)} />
          <Figure name="95 % within" value={requests.p95_ms === null ? '–' : toDuration(requests.p95_ms)} />
        </dl>
      )}
      {requests?.count === 0 && <p class="small soft">A minute is counted when it is over.</p>}
    </Panel>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }): VNode {
  return (
    <div>
      <dt class="small soft">{name}</dt>
      <dd class="figure">{value}</dd>
    </div>
  );
}

function EventsPanel(): VNode {
  const { service } = useApp();
  const { value, error } = usePolled(
    (signal) => service.control.audit({ limit: shownEvents }, { signal }),
    { everyMs, on: ['run', 'approval', 'device', 'insight', 'webhook', 'audit'] },
    [],
  );
  return (
    <Panel title="What happened last" error={value ? undefined : error}>
      <ul class="events">
        {value?.events.map((event) => {
          const { tone, text } = toEventLine(event);
          return (
            <li key={event.id}>
              <span class="dot" data-tone={tone} />
              <span class="cut grow" title={text}>
                {event.run_id === undefined ? (
                  text
                ) : (
                  <a href={toFragment('runs', [event.run_id.split('.', 1)[0] ?? ''])}>{text}</a>
                )}
              </span>
              <span class="small soft num">
                <Ago atMs={event.at_ms} />
              </span>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function WarningsPanel(): VNode {
  const { service } = useApp();
  const { value, error } = usePolled((signal) => service.control.security({}, { signal }), {}, []);
  return (
    <Panel title="Worth mending" error={value ? undefined : error}>
      {value?.warnings.length === 0 && <p class="soft">Nothing: no choice of this application is unsafe.</p>}
      <ul class="stack">
        {value?.warnings.map(({ text, fix }) => (
          <li key={text}>
            <p>{text}</p>
            {fix !== null && <p class="small soft">→ {fix}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface TileProps {
  readonly title: string;
  readonly value: string;
  readonly href?: string;
  readonly children: ComponentChildren;
}

function Tile({ title, value, href, children }: TileProps): VNode {
  return (
    <section class="card tile">
      <h2 class="small soft">{href === undefined ? title : <a href={href}>{title}</a>}</h2>
      <p class="big">{value}</p>
      <p class="small soft">{children}</p>
    </section>
  );
}

interface PanelProps {
  readonly title: string;
  readonly href?: string;
  readonly error: unknown;
  readonly children: ComponentChildren;
}

function Panel({ title, href, error, children }: PanelProps): VNode {
  return (
    <section class="card stack">
      <h2>{href === undefined ? title : <a href={href}>{title}</a>}</h2>
      {error === undefined ? children : <Failure title="This could not be read" error={error} />}
    </section>
  );
}
