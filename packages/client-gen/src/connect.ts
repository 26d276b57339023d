// What generated clients are made of, for programs that are written before there is a client: they name a route by its path.
export { connectAgents } from './runtime/agent-sockets.ts';
export type { AgentClient, AgentMessage, AgentSocket } from './runtime/agent-types.ts';
export type {
  CameraClient,
  CameraPublisher,
  DeviceEvent,
  DeviceFrame,
  DeviceHello,
  DeviceInsight,
  FrameReceipt,
  Presence,
  PublishOptions,
  SensorClient,
  SensorPublisher,
  StreamOptions,
} from './runtime/device-types.ts';
export { connectDevice } from './runtime/devices.ts';
export { connectFeed } from './runtime/feed.ts';
export type { FeedOptions, LiveEvent } from './runtime/feed-types.ts';
export {
  type CallOptions,
  type ClientOptions,
  type JsonObject,
  type NoInput,
  ProblemError,
  type ProgressOptions,
} from './runtime/options.ts';
export { connect, type Operation } from './runtime/requests.ts';
export type { RunClient, RunEvent, RunStep, RunWaiting } from './runtime/run-types.ts';
export { connectRuns } from './runtime/runs.ts';
export {
  type SocketClientOptions,
  SocketError,
  type SocketOptions,
  type SocketState,
} from './runtime/socket-types.ts';
