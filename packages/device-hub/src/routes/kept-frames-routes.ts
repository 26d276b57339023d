import { HTTPError, media, type Route, Type, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { etag, ifNoneMatch } from '@waymark/contract/route';
import { frameSends, toPicture } from './latest-route.ts';
import { pathOf, type RouteParts, titleOf, toRead } from './route-parts.ts';

/** GET frames: which frames are kept, newest last. No camera is asked. */
export function keptFramesRoute(parts: RouteParts): Route {
  const { settings, device } = parts;
  return toRoute(
    'GET',
    pathOf(parts, 'frames'),
    {
      kind: 'device',
      answer: async () => {
        const frames = await device().recent();
        return {
          device: settings.name,
          frames: frames.map(({ seq, atMs, mediaType, bytes }) => ({
            ...{ seq, at_ms: atMs, media_type: mediaType },
            bytes: bytes.length,
          })),
        };
      },
    },
    {
      ...toRead(parts),
      summary: `The frames that are kept of the ${titleOf(settings)}, newest last.`,
      output: Type.Object({
        device: Type.String(),
        frames: Type.Array(
          Type.Object({
            ...{ seq: Type.Integer(), at_ms: Type.Integer(), media_type: Type.String() },
            bytes: Type.Integer(),
          }),
        ),
      }),
    },
  );
}

/** GET frames/{seq}: one of them. */
export function keptFrameRoute(parts: RouteParts): Route {
  const { settings, device } = parts;
  return toRoute(
    'GET',
    pathOf(parts, 'frames/{seq}'),
    {
      kind: 'device',
      answer: async ({ input }: EngineContext) => {
        const { seq } = input as { readonly seq: number };
        const frame = (await device().recent()).find((one) => one.seq === seq);
        if (!frame) throw new HTTPError(404, `frame ${seq} of "${settings.name}" is not kept`);
        return toPicture(device(), frame);
      },
    },
    {
      ...toRead(parts, { fails: [404], reads: ifNoneMatch, sends: { ...etag, ...frameSends } }),
      input: { seq: Type.Integer({ minimum: 1 }) },
      summary: `The bytes of one frame that is kept of the ${titleOf(settings)}.`,
      output: media('image/*'),
    },
  );
}
