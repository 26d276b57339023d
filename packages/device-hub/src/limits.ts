import type { LimitInForce } from '@waymark/contract/declaring';
import { keptEvidenceBytes } from '@waymark/contract/stores';
import { keptInsights } from './device/device.ts';
import { maxReadingBytes, maxReadingDepth } from './device/read-reading.ts';
import type { DeviceHubOptions, HubSettings } from './hub-options.ts';
import { maxPixels } from './image/frame-type.ts';
import { keptLinkDays } from './routes/evidence-routes.ts';

/** Limits of a hub for all of its devices; sizes and rates of frames are each device's own. */
export function hubLimits(
  { maxViewersPerDevice, maxViewersPerPrincipal, telemetryPerSecond, pullTimeoutMs }: HubSettings,
  { memoryBytes }: DeviceHubOptions,
): readonly LimitInForce[] {
  const each = 'each device';
  return [
    { name: 'reading', value: maxReadingBytes, unit: 'bytes', note: 'of telemetry' },
    { name: 'reading_depth', value: maxReadingDepth, unit: 'levels' },
    {
      name: 'readings',
      value: telemetryPerSecond,
      unit: 'readings/s',
      note: `${each}, twice as many at once`,
    },
    { name: 'picture', value: maxPixels, unit: 'pixels' },
    { name: 'insights', value: keptInsights, unit: 'insights', note: `${each}, kept` },
    {
      name: 'insight_pictures',
      value: keptEvidenceBytes,
      unit: 'bytes',
      note: `${each}, with its insights`,
    },
    { name: 'insight_link', value: keptLinkDays, unit: 'days', note: 'to the picture of an insight' },
    { name: 'viewers', value: maxViewersPerDevice, unit: 'open streams', note: each },
    { name: 'viewers_per_caller', value: maxViewersPerPrincipal, unit: 'open streams', note: 'each caller' },
    { name: 'pull_time', value: pullTimeoutMs, unit: 'ms', note: 'for a picture of a camera with a source' },
    ...(memoryBytes === undefined ? [] : [{ name: 'frame_memory', value: memoryBytes, unit: 'bytes' }]),
  ];
}
