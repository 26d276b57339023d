import { type Route, Type, toRoute } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import { maxReadingBytes } from '../device/read-reading.ts';
import { pathOf, type RouteParts, titleOf, toRead, toSend } from './route-parts.ts';

/** POST telemetry: one JSON reading is the body. */
export function telemetryRoute(parts: RouteParts): Route {
  const { settings, device } = parts;
  const accepted = new RouteResponse(202, { kind: 'json', text: JSON.stringify({ device: settings.name }) });
  return toRoute(
    'POST',
    pathOf(parts, 'telemetry'),
    {
      kind: 'device',
      answer: async ({ body }) => {
        await device().ingest.takeReadingBody(body);
        return accepted;
      },
    },
    {
      ...toSend(parts, { takes: Type.Unknown({ examples: [{ celsius: 21.5 }] }), fails: [400] }),
      // Read here: the rate is decided before the body.
      body: 'source',
      maxBodyBytes: maxReadingBytes,
      summary: `Send a reading of the ${titleOf(settings)}.`,
      description:
        'One JSON value of at most 64 KB, whatever the content type says. What is no object is kept as `{value: …}`.',
      output: { 202: Type.Object({ device: Type.String() }) },
    },
  );
}

/** GET telemetry, and the tool `<name>_telemetry`: the newest reading. */
export function newestTelemetryRoute(parts: RouteParts): Route {
  const { settings } = parts;
  const answer = async (): Promise<object> => {
    const device = parts.device();
    const newest = await device.telemetry();
    return {
      device: settings.name,
      telemetry: newest?.data ?? null,
      age_ms: newest ? device.ageMs(newest) : null,
    };
  };
  return toRoute(
    'GET',
    pathOf(parts, 'telemetry'),
    { kind: 'device', answer },
    {
      ...toRead(parts),
      tool: settings.tool,
      toolName: `${settings.name}_telemetry`,
      summary: `The newest reading of the ${titleOf(settings)} and its age; null where none has come.`,
      output: newestTelemetry,
    },
  );
}

const newestTelemetry = Type.Object({
  device: Type.String(),
  telemetry: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  age_ms: Type.Union([Type.Integer(), Type.Null()]),
});
