export { createMemoryBackend } from './backend/memory-backend.ts';
export {
  type CameraDeclaration,
  type CameraOptions,
  camera,
  type DeviceDeclaration,
  type DeviceOptions,
  type SensorDeclaration,
  type SensorOptions,
  sensor,
} from './declarations/device-declaration.ts';
export { deviceRules } from './declarations/rules.ts';
export type { PresenceThresholds } from './device/presence.ts';
export { toReading } from './device/read-reading.ts';
export { type DeviceHub, deviceHub } from './device-hub.ts';
export { devicesFeature } from './devices-feature.ts';
export type { DeviceHubOptions, MakeBackend } from './hub-options.ts';
export { readFrameType } from './image/frame-type.ts';
