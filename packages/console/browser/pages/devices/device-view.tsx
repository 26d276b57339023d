import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ControlDevicesListOutputDevicesItem as DeviceRow } from '../../client/control.ts';
import { DeviceFacts, PresenceBadge } from './device-facts.tsx';
import { InsightList } from './insight-list.tsx';
import { LivePicture } from './live-picture.tsx';
import type { PictureLine } from './picture-line.ts';
import { ReadingCharts } from './readings.tsx';
import { WatcherCard } from './watcher-card.tsx';

const everyMs = 2_000;

/** One device with all that is known of it. */
export function DeviceView({
  device,
  line,
}: {
  readonly device: DeviceRow;
  readonly line: PictureLine;
}): VNode {
  const { service } = useApp();
  const { name, kind, description, pulled } = device;
  const { value } = usePolled(
    (signal) => service.control.watchers.list({}, { signal }),
    { everyMs, on: ['insight', 'run'] },
    [],
  );
  const watchers = value?.watchers.filter((one) => one.device === name) ?? [];
  const place = `${service.address.base}/devices/${encodeURIComponent(name)}`;
  return (
    <>
      <header>
        <a href={toFragment('devices')}>← All devices</a>
        <h1>{name}</h1>
        <PresenceBadge device={device} />
        <div class="more">
          {kind === 'camera' && !pulled && (
            <a class="button slight" href={`${place}/connect`} target="_blank" rel="noreferrer">
              Send from this browser
            </a>
          )}
          <a class="button slight" href={`${place}/view`} target="_blank" rel="noreferrer">
            Live page
          </a>
        </div>
      </header>
      {description !== null && <p class="soft">{description}</p>}
      <div class="device-view">
        <div class="stack">
          {kind === 'camera' && <LivePicture device={device} line={line} shown={1} />}
          <section class="card" aria-label="Facts">
            <DeviceFacts device={device} />
          </section>
          <ReadingCharts name={name} />
        </div>
        <div class="stack">
          {watchers.map((one) => (
            <WatcherCard key={one.name} watcher={one} />
          ))}
          <InsightList name={name} watched={watchers.length > 0} line={line} />
          {watchers.length === 0 && (
            <section class="card stack" aria-label="Watchers">
              <h2>Nobody watches it</h2>
              <p class="soft">A watcher has an agent judge what is new, within ceilings:</p>
              <pre class="code">{`app.watch('${toWord(name)}_watch', { device: '${toWord(name)}', agent: '…', input: 'What changed?', maxRunsPerHour: 60 });`}</pre>
            </section>
          )}
        </div>
      </div>
    </>
  );
}

/** Names of devices are words; whatever else came is not put into a line of code. */
function toWord(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64);
}
