import { HTTPError, type Route, Type, toRoute } from '@waymark/contract';
import type { EngineContext, Peer } from '@waymark/contract/engine';
import type { Device } from '../device/device.ts';
import type { Newest } from '../device/feed.ts';
import { viewerKey } from '../device/viewers.ts';
import { pathOf, type RouteParts, titleOf, toRead } from './route-parts.ts';

/** A subscriber has nothing to say. */
const maxMessageBytes = 1_024;

/** Try again later (RFC 6455, registry of close codes): for those who came in together for the last place. */
const tryAgainLater = 1013;

/** The socket `/stream`: a greeting, the newest frame and reading, then what is live. */
export function streamRoute(parts: RouteParts): Route {
  const { settings, viewers } = parts;
  const accept = async (peer: Peer, context: EngineContext): Promise<void> => {
    const device = parts.device();
    const key = viewerKey(context.principal, context.clientAddress);
    const refusal = viewers.refusal(settings.name, key);
    if (refusal) return peer.close(tryAgainLater, refusal.message);
    peer.onClose(viewers.enter(settings.name, key));
    const { frames, fps, replay = '1' } = context.input as StreamQuery;
    const joining = device.feed.join(peer, {
      meta: frames === 'meta',
      ...(fps !== undefined && { fps }),
      replay: replay === '1',
      hello: (newest) => greeting(device, newest),
    });
    await joining.catch((error: unknown) => {
      if (!(error instanceof HTTPError && error.status === 503)) throw error;
      peer.close(tryAgainLater, error.message);
    });
  };
  return toRoute(
    'GET',
    pathOf(parts, 'stream'),
    { kind: 'device', accept },
    {
      ...toRead(parts),
      socket: true,
      maxBodyBytes: maxMessageBytes,
      input: streamQuery,
      // Misspelt, `frames=meta` would send every picture.
      strictQuery: true,
      summary: `The ${titleOf(settings)} live.`,
    },
  );
}

interface StreamQuery {
  readonly frames?: 'meta';
  readonly fps?: number;
  readonly replay?: '0' | '1';
}

const streamQuery = {
  frames: Type.Optional(Type.Literal('meta')),
  fps: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  replay: Type.Optional(Type.Union([Type.Literal('0'), Type.Literal('1')])),
};

function greeting(device: Device, { frame, insights, report }: Newest): object {
  const { settings, boot } = device;
  const { name, kind, description, frames, source } = settings;
  return {
    type: 'hello',
    device: { name, kind, description, max_fps: frames?.maxFps ?? null, pulled: source !== undefined },
    boot,
    status: report.status,
    seq: frame?.seq ?? null,
    // The frame follows; a reader cannot tell how old it is, since the clocks of two machines differ.
    age_ms: frame ? device.ageMs(frame) : null,
    fps: report.fps,
    insights,
  };
}
