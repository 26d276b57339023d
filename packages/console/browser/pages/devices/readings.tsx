import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { usePolled } from '../../app/use-polled.ts';
import { deviceRoutes } from '../../client/device-routes.ts';
import { Failure } from '../../design/failure.tsx';
import { LineChart } from '../../design/line-chart.tsx';
import { Ago } from '../../design/time.tsx';
import { addReading, noReadings, type ReadingLog, seriesOf } from './reading-log.ts';
import { type ReadingMember, toNumberText, toReadingMembers } from './reading-members.ts';

const everyMs = 2_000;
const mostCharts = 6;
const mostOnCard = 4;

/** The newest reading, what it was since somebody looks, and when it came. */
interface Readings {
  readonly log: ReadingLog;
  readonly newest: readonly ReadingMember[] | undefined;
  readonly atMs: number | undefined;
  readonly error: unknown;
}

/** Asks for the readings of a device. */
function useReadings(name: string): Readings {
  const { service } = useApp();
  const [log, setLog] = useState(noReadings);
  const { value, error } = usePolled(
    async (signal) => {
      const { telemetry, age_ms: ageMs } = await deviceRoutes(service).telemetry({ name }, { signal });
      return { telemetry, atMs: ageMs === null ? undefined : Date.now() - ageMs };
    },
    { everyMs },
    [name],
  );
  useEffect(() => {
    if (value?.telemetry && value.atMs !== undefined) {
      const { atMs, telemetry } = value;
      setLog((before) => addReading(before, atMs, telemetry));
    }
  }, [value]);
  const newest = value?.telemetry ? toReadingMembers(value.telemetry) : undefined;
  return { log, newest, atMs: value?.atMs, error };
}

/** The newest reading on a card. */
export function ReadingSummary({ name }: { readonly name: string }): VNode {
  const { newest, atMs, error } = useReadings(name);
  if (newest === undefined)
    return (
      <p class="veil still">
        {error === undefined ? 'No reading has come yet.' : 'Its readings may not be seen.'}
      </p>
    );
  return (
    <div class="reading-summary">
      <dl>
        {newest.slice(0, mostOnCard).map(({ name: member, text }) => (
          <div key={member}>
            <dd class="cut">{text}</dd>
            <dt class="cut small soft">{member}</dt>
          </div>
        ))}
      </dl>
      {atMs !== undefined && (
        <p class="small soft">
          <Ago atMs={atMs} />
        </p>
      )}
    </div>
  );
}

/** All of the newest reading, and its numbers over time, as long as somebody looks. */
export function ReadingCharts({ name }: { readonly name: string }): VNode | null {
  const { log, newest, atMs, error } = useReadings(name);
  if (newest === undefined)
    return error === undefined ? null : <Failure title="The readings could not be read" error={error} />;
  const drawn = newest.filter(({ number }) => number !== undefined).slice(0, mostCharts);
  return (
    <section class="card stack" aria-label="Readings">
      <div class="row">
        <h2 class="grow">Readings</h2>
        {atMs !== undefined && (
          <span class="small soft">
            <Ago atMs={atMs} />
          </span>
        )}
      </div>
      <dl class="pairs">
        {newest.map(({ name: member, text }) => (
          <>
            <dt class="mono" key={member}>
              {member}
            </dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
      {log.times.length > 1 &&
        drawn.map(({ name: member }) => <Course key={member} log={log} member={member} />)}
      {drawn.length > 0 && (
        <p class="small soft">
          {log.times.length > 1
            ? 'Drawn since this page is open: the service keeps the newest reading alone.'
            : 'Its numbers are drawn as soon as a second reading has come.'}
        </p>
      )}
    </section>
  );
}

function Course({ log, member }: { readonly log: ReadingLog; readonly member: string }): VNode {
  const values = seriesOf(log, member);
  const known = values.filter((one) => one !== null);
  const label = `${member}: ${known.length} readings from ${toNumberText(Math.min(...known))} to ${toNumberText(Math.max(...known))}`;
  return (
    <div>
      <h3>{member}</h3>
      <LineChart
        near
        label={label}
        times={log.times}
        series={[{ name: member, color: '--accent', values }]}
        format={toNumberText}
        height={110}
      />
    </div>
  );
}
