import type { VNode } from 'preact';
import { toFragment } from '../../app/place.ts';
import type { ControlDevicesListOutputDevicesItem as DeviceRow } from '../../client/control.ts';
import { counted } from '../../design/words.ts';
import { PresenceBadge, toRateWords } from './device-facts.tsx';
import { LivePicture } from './live-picture.tsx';
import type { PictureLine } from './picture-line.ts';
import { ReadingSummary } from './readings.tsx';

interface GridProps {
  readonly devices: readonly DeviceRow[];
  readonly line: PictureLine;
}

/** All devices beside each other, each as it is now. */
export function DeviceGrid({ devices, line }: GridProps): VNode {
  const cameras = devices.filter(({ kind }) => kind === 'camera').length;
  return (
    <ul class="devices">
      {devices.map((one) => (
        <li key={one.name}>
          <DeviceCard device={one} line={line} shown={Math.max(2, cameras)} />
        </li>
      ))}
    </ul>
  );
}

function DeviceCard({
  device,
  line,
  shown,
}: {
  readonly device: DeviceRow;
  readonly line: PictureLine;
  readonly shown: number;
}): VNode {
  const { name, kind, description, subscribers, frames_dropped: dropped, insights, watchers, pull } = device;
  return (
    <article class="card device" aria-label={name}>
      {kind === 'camera' ? (
        <LivePicture device={device} line={line} shown={shown} />
      ) : (
        <ReadingSummary name={name} />
      )}
      <div class="about">
        <div class="row">
          <h2 class="grow cut">
            <a class="whole" href={toFragment('devices', [name])}>
              {name}
            </a>
          </h2>
          <PresenceBadge device={device} />
        </div>
        {description !== null && <p class="small soft cut">{description}</p>}
        <p class="small facts">
          <span>{toRateWords(device)}</span>
          {dropped > 0 && <span class="warn">{counted(dropped, 'refused', 'refused')}</span>}
          <span>{counted(subscribers, 'viewer')}</span>
          {watchers.length > 0 && <span>{counted(watchers.length, 'watcher')}</span>}
          {insights > 0 && <span>{counted(insights, 'insight')}</span>}
        </p>
        {pull !== null && pull.failures > 0 && (
          <p class="small bad cut" title={pull.error ?? undefined}>
            {counted(pull.failures, 'failure')}: {pull.error ?? 'no reason was given'}
          </p>
        )}
      </div>
    </article>
  );
}
