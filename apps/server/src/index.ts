export {
  type AgentOptions,
  type BehaviourContext,
  type BehaviourOptions,
  type ContextFunction,
  type ContextOptions,
  ToolError,
  type ToolTypes,
} from '@waymark/agents';
export {
  audio,
  DeclarationError,
  from,
  HTTPError,
  image,
  media,
  type Problem,
  type Progress,
  Reply,
  type Route,
  type RouteRequest,
  type RouteTable,
  reply,
  resource,
  resourceLink,
  type Static,
  Type,
} from '@waymark/contract';
export type { Finding } from '@waymark/contract/declaring';
export type { Plugin } from '@waymark/contract/engine';
export type {
  Fields,
  MemoryOptions,
  QueryOptions,
  ResourceOptions,
  SqlDatabase,
} from '@waymark/data';
export type { FlowOptions, FlowStep } from '@waymark/flows';
export type { Application, BehaviourCall, PageHandlerCall, ResourceCall, Shorthand } from './application.ts';
export { formatReport, type ScreenOptions } from './boot/first-screen.ts';
export { runUntilSignal } from './boot/run-until-signal.ts';
export type { RunningApplication } from './boot/start-application.ts';
export type { StartupReport } from './boot/startup-report.ts';
export { type ApplicationWith, createApplication, createApplicationWith } from './create-application.ts';
export type { Middleware } from './declaring/middleware.ts';
export type { DevelopmentOptions, ModelServer } from './develop/development-options.ts';
export type {
  ApplicationOptions,
  Flags,
  LimitOptions,
  RunOptions,
  SessionOptions,
} from './options/application-options.ts';
export {
  type Rehearsal,
  RehearsalError,
  type RehearsalOptions,
  type RehearsedRun,
  type WouldCall,
} from './rehearse/rehearsal.ts';
export type { OpeningOptions, Upkeep } from './upkeep/upkeep.ts';
