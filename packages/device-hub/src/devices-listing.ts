import { listing, type Route, type Static, Type } from '@waymark/contract';
import type { Device } from './device/device.ts';
import type { WatcherNames } from './watcher-names.ts';

/** Numbers of a reading that a row shows, and characters of their names. */
const shownReadings = 16;
const longestName = 64;

/** `GET {control_prefix}/devices`. It asks no camera: what it shows is what there is. */
export function devicesListing(devices: () => readonly Device[], watchers: WatcherNames): Route {
  return listing('devices', () => Promise.all(devices().map((one) => toRow(one, watchers))), {
    summary: 'Lists every device: what came in, who watches, and the newest frame.',
    row: deviceRow,
  });
}

async function toRow(device: Device, watchers: WatcherNames): Promise<DeviceRow> {
  const { name, kind, description, frames, source } = device.settings;
  // Where nobody can be asked for it, health says so; the row is there.
  const unknown = (): undefined => undefined;
  const [newest, telemetry, insights, report] = await Promise.all([
    device.newest().catch(unknown),
    device.telemetry().catch(unknown),
    device.insights(),
    device.report(),
  ]);
  const { status, framesIn, framesDropped, bytesIn, fps, subscribers } = report;
  return {
    ...{ name, kind, description },
    status,
    pulled: source !== undefined,
    pull: toPull(device.pulls),
    latest: newest
      ? { seq: newest.seq, media_type: newest.mediaType, bytes: newest.bytes.length, at_ms: newest.atMs }
      : null,
    telemetry_at_ms: telemetry?.atMs ?? null,
    readings: toReadings(telemetry?.data),
    frames_in: framesIn,
    frames_dropped: framesDropped,
    bytes_in: bytesIn,
    ...{ fps, subscribers },
    watchers: [...watchers.of(name)],
    insights: insights.length,
    max_fps: frames?.maxFps ?? null,
  };
}

/** What can be drawn as a line. The whole reading is in a route of the device. */
function toReadings(reading: unknown): Record<string, number> {
  if (typeof reading !== 'object' || reading === null) return {};
  const numbers = Object.entries(reading).filter(
    ([name, value]) => typeof value === 'number' && name.length <= longestName,
  );
  return Object.fromEntries(numbers.slice(0, shownReadings));
}

/** What its source says to us is in no listing, nor where it is: both may hold secrets. */
function toPull(facts: Device['pulls']): DeviceRow['pull'] {
  return facts && { last_at_ms: facts.lastAtMs, failures: facts.failures, error: facts.error };
}

const deviceRow = Type.Object(
  {
    name: Type.String(),
    kind: Type.Union([Type.Literal('camera'), Type.Literal('sensor')]),
    description: Type.Union([Type.String(), Type.Null()]),
    status: Type.Union([Type.Literal('online'), Type.Literal('stale'), Type.Literal('offline')]),
    pulled: Type.Boolean(),
    pull: Type.Union(
      [
        Type.Object(
          {
            last_at_ms: Type.Union([Type.Integer(), Type.Null()]),
            failures: Type.Integer(),
            error: Type.Union([Type.String(), Type.Null()]),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      {
        description:
          'How the pulls of this process go: the last that gave a picture, how many have failed since, and why the last did.',
      },
    ),
    latest: Type.Union([
      Type.Object(
        { seq: Type.Integer(), media_type: Type.String(), bytes: Type.Integer(), at_ms: Type.Integer() },
        { additionalProperties: false },
      ),
      Type.Null(),
    ]),
    telemetry_at_ms: Type.Union([Type.Integer(), Type.Null()]),
    readings: Type.Record(Type.String(), Type.Number(), {
      description: `The first ${shownReadings} numbers of the newest reading, by name.`,
    }),
    frames_in: Type.Integer(),
    frames_dropped: Type.Integer(),
    bytes_in: Type.Integer(),
    fps: Type.Number(),
    subscribers: Type.Integer(),
    watchers: Type.Array(Type.String(), { description: 'Names of those that judge what it shows.' }),
    insights: Type.Integer(),
    max_fps: Type.Union([Type.Number(), Type.Null()]),
  },
  { additionalProperties: false },
);

type DeviceRow = Readonly<Static<typeof deviceRow>>;
