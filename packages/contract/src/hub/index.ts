export type { FrameRecord, HubBackend, HubRecord, TelemetryRecord } from './hub-backend.ts';
export type { Insight } from './insight.ts';
