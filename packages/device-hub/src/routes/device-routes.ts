import type { Route } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import type { PageFiles } from '../page-files.ts';
import { pageRoute } from '../pages/page-routes.ts';
import { insightEvidenceRoute, insightFrameRoute } from './evidence-routes.ts';
import { framesRoute } from './frames-route.ts';
import { ingestSocketRoute } from './ingest-socket-route.ts';
import { insightsRoute } from './insights-route.ts';
import { keptFrameRoute, keptFramesRoute } from './kept-frames-routes.ts';
import { latestRoute } from './latest-route.ts';
import { mjpegRoute } from './mjpeg-route.ts';
import type { RouteParts } from './route-parts.ts';
import { snapshotRoute } from './snapshot-route.ts';
import { streamRoute } from './stream-route.ts';
import { newestTelemetryRoute, telemetryRoute } from './telemetry-routes.ts';

/** The routes of one device; a sensor has none for frames. */
export interface DeviceRoutes {
  readonly all: readonly Route[];
  /** The one that subscribers come in by. */
  readonly stream: Route;
}

/** Makes the routes of one device. */
export function deviceRoutes(
  parts: RouteParts,
  clock: Pick<Host, 'now' | 'after'>,
  pageFiles: () => PageFiles,
): DeviceRoutes {
  const { frames } = parts.settings;
  const stream = streamRoute(parts);
  return {
    stream,
    all: [
      ...(frames
        ? [
            framesRoute(parts, frames),
            keptFramesRoute(parts),
            keptFrameRoute(parts),
            latestRoute(parts),
            mjpegRoute(parts, clock),
          ]
        : []),
      snapshotRoute(parts),
      telemetryRoute(parts),
      newestTelemetryRoute(parts),
      insightsRoute(parts),
      ...(frames ? [insightFrameRoute(parts), insightEvidenceRoute(parts, clock)] : []),
      ingestSocketRoute(parts, clock),
      stream,
      pageRoute(parts, 'view', pageFiles),
      ...(frames ? [pageRoute(parts, 'connect', pageFiles)] : []),
    ],
  };
}
