import type { ComponentChildren, VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { Failure } from '../../design/failure.tsx';
import { LineChart } from '../../design/line-chart.tsx';
import { Ago } from '../../design/time.tsx';
import { counted, toCount, toDuration, toRough, toShortCount, toUsd } from '../../design/words.ts';
import { toEventLine } from './event-line.ts';
import { countByStatus, toCallFigures, toHours } from './figures.ts';

const everyMs = 5_000;
const lastEvents = 200;
const shownEvents = 16;
const lastRuns = 200;
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
  return (
    <>
      <div class="halves">
        <RunsPanel />
        <SpendPanel />
      </div>
      <div class="halves">
        <EventsPanel />
        <WarningsPanel />
      </div>
    </>
  );
}

function RunsPanel(): VNode {
  const { service } = useApp();
  const { value, error } = usePolled(
    (signal) => service.control.runs.list({ limit: lastRuns }, { signal }),
    everyMs,
    [],
  );
  return (
    <Panel title="Runs" href={toFragment('runs')} error={value ? undefined : error}>
      {value?.runs.length === 0 && (
        <p class="soft">
          Nothing has run yet. Start something in the <a href={toFragment('playground')}>playground</a>.
        </p>
      )}
      <ul class="states">
        {countByStatus(value?.runs ?? []).map(([status, count]) => (
          <li key={status}>
            <a href={toFragment('runs', [], { status })}>
              <span class="big">{count === lastRuns ? `${count}+` : count}</span>
              <StatusBadge status={status} />
            </a>
          </li>
        ))}
      </ul>
      {value && value.runs.length > 0 && (
        <p class="small soft">of the last {counted(value.runs.length, 'run')}</p>
      )}
    </Panel>
  );
}

function SpendPanel(): VNode {
  const { service, now } = useApp();
  const since = Math.floor(now.value / 3_600_000 - hours + 1) * 3_600_000;
  const { value, error } = usePolled(
    (signal) => service.control.usage({ since_ms: since, bucket: 'hour' }, { signal }),
    everyMs * 3,
    [since],
  );
  const spend = value && toHours(value.by_time, now.peek(), hours);
  return (
    <Panel title="Spent on models in 24 hours" error={value ? undefined : error}>
      {value && (
        <p>
          <span class="big">{toUsd(value.estimated_cost_usd)}</span>{' '}
          <span class="soft">
            {toShortCount(value.total_tokens)} tokens in {counted(value.totals.calls, 'call')}
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

function EventsPanel(): VNode {
  const { service, now } = useApp();
  const { value, error } = usePolled(
    (signal) => service.control.audit({ limit: lastEvents }, { signal }),
    everyMs,
    [],
  );
  const figures = value && toCallFigures(value.events, now.peek());
  return (
    <Panel title="What happened last" error={value ? undefined : error}>
      {figures && (
        <p class="small soft">
          {counted(figures.calls, 'tool call')} in {toRough(figures.spanMs)}, {toCount(figures.failed)}{' '}
          failed, {toCount(figures.refused)} refused
        </p>
      )}
      <ul class="events">
        {value?.events.slice(0, shownEvents).map((event) => {
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
  const { value, error } = usePolled((signal) => service.control.security({}, { signal }), 0, []);
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
