import { media, type Route, Type, toRoute } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import type { FrameSettings } from '../declarations/device-settings.ts';
import { pathOf, type RouteParts, titleOf, toSend } from './route-parts.ts';

/** POST frames: one picture is the body. */
export function framesRoute(parts: RouteParts, { maxFrameBytes }: FrameSettings): Route {
  const { settings, device } = parts;
  // A name of letters, digits, "_" and "-" needs no escaping.
  const before = `{"device":"${settings.name}","seq":`;
  return toRoute(
    'POST',
    pathOf(parts, 'frames'),
    {
      kind: 'device',
      answer: async ({ body }) => {
        const seq = await device().ingest.takeBody(body);
        return new RouteResponse(202, { kind: 'json', text: `${before}${seq}}` });
      },
    },
    {
      ...toSend(parts, { takes: media('image/*'), fails: [422] }),
      body: 'source',
      maxBodyBytes: maxFrameBytes,
      summary: `Send a frame of the ${titleOf(settings)}.`,
      description: 'One PNG, JPEG, GIF or WebP; its type is told from its bytes.',
      output: { 202: Type.Object({ device: Type.String(), seq: Type.Integer() }) },
    },
  );
}
