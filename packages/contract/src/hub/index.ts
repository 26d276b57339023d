export type { DeviceFacts, Devices, Sight } from './devices.ts';
export type {
  DeviceReport,
  DeviceStatus,
  FrameRecord,
  HubBackend,
  HubRecord,
  StatusRecord,
  Subscription,
  TelemetryRecord,
} from './hub-backend.ts';
export type { Insight } from './insight.ts';
export { redisUrlFault } from './redis-url.ts';
