export type { SimulatorOptions } from './options.ts';
export { type Quirk, quirkNames } from './quirks.ts';
export type {
  Conversation,
  FormatName,
  OfferedTool,
  SeenImage,
  SeenResult,
  ToolCall,
  ToolChoice,
  Turn,
} from './request/conversation.ts';
export type { LoggedRequest } from './request/request-log.ts';
export { type Simulator, startSimulator } from './start-simulator.ts';
export type { SimulatedUsage } from './usage.ts';
