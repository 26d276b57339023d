import type { VNode } from 'preact';
import type { ControlDevicesListOutputDevicesItem as DeviceRow } from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { Ago } from '../../design/time.tsx';
import type { Tone } from '../../design/tone.ts';
import { counted, toBytes, toCount } from '../../design/words.ts';

const tones: Readonly<Record<string, Tone>> = { online: 'good', stale: 'warn', offline: 'bad' };

/** Whether a device is there. A pulled camera that nobody asked yet is no trouble. */
export function PresenceBadge({ device }: { readonly device: DeviceRow }): VNode {
  if (isUnasked(device)) return <Badge tone="idle">not asked yet</Badge>;
  return <Badge tone={tones[device.status] ?? 'idle'}>{device.status}</Badge>;
}

/** Whether nobody has wanted a picture of a pulled camera since the service started. */
export function isUnasked({ pull }: DeviceRow): boolean {
  return pull !== null && pull.last_at_ms === null && pull.failures === 0;
}

/** `2 fps of 10 at most`, in a line. */
export function toRateWords({ kind, fps, max_fps: maxFps, pulled }: DeviceRow): string {
  if (kind === 'sensor') return 'sensor';
  if (pulled) return 'asked for each picture';
  return `${fps.toFixed(fps < 10 ? 1 : 0)} fps${maxFps === null ? '' : ` of ${maxFps}`}`;
}

/** What is counted of a device since the service started. */
export function DeviceFacts({ device }: { readonly device: DeviceRow }): VNode {
  const { kind, latest, pull, frames_in: framesIn, frames_dropped: dropped, bytes_in: bytesIn } = device;
  return (
    <dl class="pairs">
      <dt>Kind</dt>
      <dd>
        {device.pulled ? 'pulled ' : ''}
        {kind}
      </dd>
      {kind === 'camera' && (
        <>
          <dt>Rate</dt>
          <dd>{toRateWords(device)}</dd>
          <dt>Pictures</dt>
          <dd>
            {toCount(framesIn)} came, {toBytes(bytesIn)}
          </dd>
          <dt>Refused</dt>
          <dd>{dropped === 0 ? 'none' : `${toCount(dropped)}: they came faster than it may send`}</dd>
          {latest && (
            <>
              <dt>Newest</dt>
              <dd>
                #{latest.seq}, {latest.media_type}, {toBytes(latest.bytes)}, <Ago atMs={latest.at_ms} />
              </dd>
            </>
          )}
        </>
      )}
      {pull && <PullFacts pull={pull} />}
      <dt>Viewers</dt>
      <dd>{counted(device.subscribers, 'open stream')}</dd>
    </dl>
  );
}

function PullFacts({ pull }: { readonly pull: NonNullable<DeviceRow['pull']> }): VNode {
  const { last_at_ms: lastAtMs, failures, error } = pull;
  return (
    <>
      <dt>Last asked well</dt>
      <dd>{lastAtMs === null ? 'never yet' : <Ago atMs={lastAtMs} />}</dd>
      {failures > 0 && (
        <>
          <dt>Failed since</dt>
          <dd class="bad">
            {counted(failures, 'time')}: {error ?? 'no reason was given'}
          </dd>
        </>
      )}
    </>
  );
}
