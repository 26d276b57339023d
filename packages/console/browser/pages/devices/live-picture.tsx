import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import type { ControlDevicesListOutputDevicesItem as DeviceRow } from '../../client/control.ts';
import { toDuration } from '../../design/words.ts';
import { toPaceMs } from './pace.ts';
import type { PictureLine } from './picture-line.ts';
import { usePicture } from './use-picture.ts';

interface LiveProps {
  readonly device: DeviceRow;
  readonly line: PictureLine;
  /** How many are shown beside each other. */
  readonly shown: number;
}

/** Older than this, a picture of a camera that sends by itself is not how it looks there now. */
const oldMs = 5_000;

/** The newest picture of a camera, again and again, and how old it is as soon as that matters. */
export function LivePicture({ device, line, shown }: LiveProps): VNode {
  const { now } = useApp();
  const place = useRef<HTMLDivElement>(null);
  const { name, pulled, max_fps: maxFps, status } = device;
  const paceMs = toPaceMs({ pulled, maxFps, shown });
  const { url, atMs, trouble } = usePicture(place, { name, line, paceMs });
  const ageMs = atMs === undefined ? undefined : Math.max(0, now.value - atMs);
  const old = ageMs !== undefined && (trouble !== undefined || ageMs > Math.max(oldMs, 3 * paceMs));
  return (
    <div class="live" ref={place} data-old={old}>
      {url !== undefined && <img src={url} alt={`${name}, now`} />}
      {url === undefined && (
        <p class="veil">
          {trouble ?? (status === 'offline' ? 'No picture has come yet.' : 'Asking for a picture…')}
        </p>
      )}
      {url !== undefined && old && (
        <p class="veil low" role="status">
          {toDuration(ageMs)} old{trouble === undefined ? '' : `: ${trouble}`}
        </p>
      )}
    </div>
  );
}
