import { media, type Route, toRoute } from '@waymark/contract';
import { type EngineContext, type Host, RouteResponse } from '@waymark/contract/engine';
import { viewerKey } from '../device/viewers.ts';
import { noFrame, pictureHeaders } from './latest-route.ts';
import { mjpegStream, mjpegType } from './mjpeg-stream.ts';
import { pathOf, pullFails, type RouteParts, titleOf, toRead } from './route-parts.ts';

/** GET stream.mjpeg: frames for `<img>`, players and recorders that know nothing else. */
export function mjpegRoute(parts: RouteParts, clock: Pick<Host, 'now' | 'after'>): Route {
  const { settings, viewers } = parts;
  const answer = async (context: EngineContext): Promise<RouteResponse> => {
    const { principal, clientAddress, request, signal } = context;
    const device = parts.device();
    const pull = request.method !== 'HEAD';
    const newest = await device.look({ pull, signal });
    // Nobody would read it to its end, and so nobody would leave.
    signal.throwIfAborted();
    if (!newest) throw noFrame(settings.name);
    const key = viewerKey(principal, clientAddress);
    const refusal = viewers.refusal(settings.name, key);
    if (refusal) throw refusal;
    const { expiresAtMs } = principal;
    const leave = viewers.enter(settings.name, key);
    const unwatch = pull ? device.watch() : () => {};
    const stream = mjpegStream(device.feed, newest, {
      clock,
      ...(expiresAtMs !== undefined && { expiresAtMs }),
      onEnd() {
        unwatch();
        leave();
      },
    });
    return new RouteResponse(
      200,
      { kind: 'stream', stream, mediaType: mjpegType },
      { ...pictureHeaders, 'cache-control': 'no-store' },
    );
  };
  return toRoute(
    'GET',
    pathOf(parts, 'stream.mjpeg'),
    { kind: 'device', answer },
    {
      ...toRead(parts, { fails: [404, ...pullFails(settings)], client: false }),
      summary: `The ${titleOf(settings)} live, as motion JPEG.`,
      output: media('multipart/x-mixed-replace'),
    },
  );
}
