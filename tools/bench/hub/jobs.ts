/** How a hub speaks to its subscribers. */
export type Wire = 'websocket' | 'socket.io' | 'mqtt';

/** Where a hub takes frames and gives them out. */
export interface HubAddress {
  readonly url: string;
  readonly wire: Wire;
}

/** The device that readers watch. */
export const device = 'door';

/** All devices. */
export const devices: readonly string[] = [device, ...Array.from({ length: 7 }, (_, i) => `${device}-${i}`)];

/** Frames that are sent to one device each second at most: hubs may refuse more than 1,000. */
export const mostPerSecond = 900;

/** The secrets of who sends and of who reads; only hubs that have authentication look at them. */
export const keys = { ingest: 'the-key-of-the-camera', read: 'the-key-of-the-readers' } as const;

/**
 * How somebody reads: as fast as it can, not at all once it is connected, `slowBytesPerSecond`, or as fast as it can
 * from `roundTripMs` away.
 */
export type ReaderKind = 'healthy' | 'stalled' | 'slow' | 'far';

/** What a slow reader takes from its socket. */
export const slowBytesPerSecond = 1_000_000;

/** Between a far reader and the hub, there and back. */
export const roundTripMs = 250;

/** Frames for subscribers. */
export interface StreamJob {
  readonly kind: 'stream';
  readonly hub: HubAddress;
  readonly frameBytes: number;
  readonly readers: Readonly<Partial<Record<ReaderKind, number>>>;
  /** As many as arrive at every healthy reader, so many at once; or by the clock. */
  readonly pace: { readonly inFlight: number } | { readonly perSecond: number };
  /** Not measured: connections, code and windows get warm. */
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** Frames for a hub without subscribers: as many as it takes, over some connections, or over a socket for each device. */
export interface IngestJob {
  readonly kind: 'ingest';
  readonly hub: HubAddress;
  readonly frameBytes: number;
  readonly by: { readonly posts: number } | 'sockets';
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** One frame for one subscriber, which has to get it as the hub got it. */
export interface CheckJob {
  readonly kind: 'check';
  readonly hub: HubAddress;
}

/** What the process of the load is told to do. */
export type Job = StreamJob | IngestJob | CheckJob;

/** What readers of one kind got while it was measured. */
export interface GroupResult {
  readonly deliveries: number;
  /** That they were told of. */
  readonly skipped: number;
  /** From sending a frame to its last byte at the reader. */
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** What came of a job. */
export interface JobResult {
  readonly seconds: number;
  /** Frames sent while it was measured. */
  readonly published: number;
  /** With those before; of an ingest job. */
  readonly sent?: number;
  readonly groups: Readonly<Partial<Record<ReaderKind, GroupResult>>>;
}

/** What the process of the load says: that measuring begins, then what came of it. */
export type LoadMessage = { readonly event: 'begin' } | { readonly event: 'end'; readonly result: JobResult };
