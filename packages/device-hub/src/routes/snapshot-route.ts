import { HTTPError, image, type Route, Type, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { DeviceStatus, FrameRecord, TelemetryRecord } from '@waymark/contract/hub';
import type { Device } from '../device/device.ts';
import {
  type LookInput,
  lookInput,
  pathOf,
  pullFails,
  type RouteParts,
  titleOf,
  toRead,
} from './route-parts.ts';

/** GET snapshot, and the tool `<name>_snapshot`: the newest frame as an image marker, and the newest reading. */
export function snapshotRoute(parts: RouteParts): Route {
  const { settings } = parts;
  const isCamera = settings.frames !== undefined;
  const answer = async ({ input, request, signal }: EngineContext): Promise<object> => {
    const device = parts.device();
    const { max_age_ms: maxAgeMs } = input as LookInput;
    const frame = isCamera
      ? await device.look({ maxAgeMs, pull: request.method !== 'HEAD', signal })
      : undefined;
    // Behind the picture: what a pull found out is in it.
    const [telemetry, { status }] = await Promise.all([device.telemetry(), device.report()]);
    if (!frame && !telemetry) throw new HTTPError(404, `nothing has come from "${settings.name}" yet`);
    return toSnapshot(device, frame, telemetry, status);
  };
  return toRoute(
    'GET',
    pathOf(parts, 'snapshot'),
    { kind: 'device', answer },
    {
      ...toRead(parts, { answers: { 200: [snapshot] }, fails: [404, ...pullFails(settings)] }),
      ...(isCamera && { input: lookInput }),
      tool: settings.tool,
      toolName: `${settings.name}_snapshot`,
      summary: isCamera
        ? `Look through the ${titleOf(settings)}: its newest picture, how old that is, and its newest reading.`
        : `The newest reading of the ${titleOf(settings)}, how old that is, and whether the sensor is online.`,
      // No output for tools: with one MCP clients would be given the picture a second time, as base64 in
      // `structuredContent`, which many of them show to the model.
      description:
        'Answers `{device, description, frame, seq, age_ms, telemetry, telemetry_age_ms, status}`; 404 while nothing has come.' +
        (settings.source ? ' A picture is fetched for it; where that fails it is the last good one.' : ''),
    },
  );
}

function toSnapshot(
  device: Device,
  frame: FrameRecord | undefined,
  telemetry: TelemetryRecord | undefined,
  status: DeviceStatus,
): object {
  const { name, description } = device.settings;
  return {
    device: name,
    description,
    frame: frame ? image(frame.bytes, frame.mediaType) : null,
    seq: frame?.seq ?? null,
    age_ms: frame ? device.ageMs(frame) : null,
    telemetry: telemetry?.data ?? null,
    telemetry_age_ms: telemetry ? device.ageMs(telemetry) : null,
    status,
  };
}

const orNull = <T extends object>(schema: T) => Type.Union([schema, Type.Null()]);

const snapshot = Type.Object(
  {
    device: Type.String(),
    description: orNull(Type.String()),
    frame: orNull(
      Type.Object({
        $image: Type.Object({
          media_type: Type.String(),
          data: Type.String({ description: 'The picture in base64.' }),
        }),
      }),
    ),
    seq: orNull(Type.Integer()),
    age_ms: orNull(Type.Integer({ description: 'Of the frame, milliseconds.' })),
    telemetry: orNull(Type.Record(Type.String(), Type.Unknown())),
    telemetry_age_ms: orNull(Type.Integer()),
    status: Type.Union([Type.Literal('online'), Type.Literal('stale'), Type.Literal('offline')]),
  },
  { title: 'DeviceSnapshot' },
);
