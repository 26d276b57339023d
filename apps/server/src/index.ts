export type { AgentOptions, ContextFunction, ContextOptions } from '@waymark/agents';
export {
  DeclarationError,
  type Finding,
  from,
  HTTPError,
  media,
  type Plugin,
  type Problem,
  type Progress,
  Reply,
  type Route,
  type RouteRequest,
  type RouteTable,
  reply,
  type Static,
  Type,
} from '@waymark/contract';
export type {
  Fields,
  MemoryOptions,
  QueryOptions,
  ResourceOptions,
  SqlDatabase,
} from '@waymark/data';
export type { Application, Middleware, PageHandlerCall, Shorthand } from './application.ts';
export { createApplication } from './create-application.ts';
export type { ApplicationOptions, Flags } from './options.ts';
export { runUntilSignal } from './run-until-signal.ts';
export type { RunningApplication } from './start-application.ts';
export { formatReport, type StartupReport } from './startup-report.ts';
