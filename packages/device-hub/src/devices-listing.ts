import { listing, type Route, type Static, Type } from '@waymark/contract';
import type { Device } from './device/device.ts';

/** `GET {control_prefix}/devices`. It asks no camera: what it shows is what there is. */
export function devicesListing(devices: () => readonly Device[]): Route {
  return listing('devices', () => Promise.all(devices().map(toRow)), {
    summary: 'Lists every device: what came in, who watches, and the newest frame.',
    row: deviceRow,
  });
}

async function toRow(device: Device): Promise<DeviceRow> {
  const { name, kind, description, frames } = device.settings;
  const [newest, telemetry, insights, report] = await Promise.all([
    device.newest(),
    device.telemetry(),
    device.insights(),
    device.report(),
  ]);
  const { status, framesIn, framesDropped, bytesIn, fps, subscribers } = report;
  return {
    ...{ name, kind, description },
    status,
    // Until there are cameras with a source.
    pulled: false,
    latest: newest
      ? { seq: newest.seq, media_type: newest.mediaType, bytes: newest.bytes.length, at_ms: newest.atMs }
      : null,
    telemetry_at_ms: telemetry?.atMs ?? null,
    frames_in: framesIn,
    frames_dropped: framesDropped,
    bytes_in: bytesIn,
    ...{ fps, subscribers },
    insights: insights.length,
    max_fps: frames?.maxFps ?? null,
  };
}

const deviceRow = Type.Object(
  {
    name: Type.String(),
    kind: Type.Union([Type.Literal('camera'), Type.Literal('sensor')]),
    description: Type.Union([Type.String(), Type.Null()]),
    status: Type.Union([Type.Literal('online'), Type.Literal('stale'), Type.Literal('offline')]),
    pulled: Type.Boolean(),
    latest: Type.Union([
      Type.Object(
        { seq: Type.Integer(), media_type: Type.String(), bytes: Type.Integer(), at_ms: Type.Integer() },
        { additionalProperties: false },
      ),
      Type.Null(),
    ]),
    telemetry_at_ms: Type.Union([Type.Integer(), Type.Null()]),
    frames_in: Type.Integer(),
    frames_dropped: Type.Integer(),
    bytes_in: Type.Integer(),
    fps: Type.Number(),
    subscribers: Type.Integer(),
    insights: Type.Integer(),
    max_fps: Type.Union([Type.Number(), Type.Null()]),
  },
  { additionalProperties: false },
);

type DeviceRow = Readonly<Static<typeof deviceRow>>;
