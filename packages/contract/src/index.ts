export { type Static, Type } from 'typebox';
export { asText } from './declaring/as-text.ts';
export { type CallSite, callSite, parseCallSite } from './declaring/call-site.ts';
export { checkOptions, isOptions, type Shape, type Shapes, wellShaped } from './declaring/check-options.ts';
export { checkScopes } from './declaring/check-scopes.ts';
export { docstring } from './declaring/docstring.ts';
export type { Feature, Kind } from './declaring/feature.ts';
export { toFinding } from './declaring/finding.ts';
export { nearest, nearestOr } from './declaring/nearest.ts';
export { readSchema, readWholeSchema, type SchemaReading } from './declaring/read-schema.ts';
export { type Fault, type RuleBook, toProblems } from './declaring/rule-book.ts';
export type {
  Admission,
  ArgumentsInput,
  Call,
  CallInput,
  Dispatcher,
  Guard,
  Match,
  RequestInput,
  Router,
  Via,
} from './engine/dispatch.ts';
export type { Engine, EngineContext } from './engine/engine.ts';
export {
  DeclarationError,
  HostError,
  HTTPError,
  type HTTPErrorOptions,
  type InputError,
  type Problem,
  type ProblemMembers,
  toProblemLine,
} from './engine/http-error.ts';
export type { Awaitable, Cancel, Json, Values } from './engine/json.ts';
export {
  type Body,
  type BodySource,
  jsonResponse,
  type Progress,
  problemResponse,
  type RequestUser,
  type ResponseHeaders,
  type RouteRequest,
  RouteResponse,
  toDetail,
  toErrorResponse,
} from './engine/message.ts';
export { type EncodedMessages, encodeMessages, type Peer } from './engine/peer.ts';
export type { Boot, Declaration, Finding, Host, Log, LogLevel, Plugin } from './engine/plugin.ts';
export {
  eventStreamType,
  keepAliveText,
  type ServerSentEvent,
  toEventText,
} from './http/event-stream-text.ts';
export { matchesETag } from './http/matches-etag.ts';
export { readRetryAfter } from './http/retry-after.ts';
export type {
  Database,
  FrameRecord,
  HubBackend,
  HubRecord,
  Message,
  ModelCallOptions,
  ModelClient,
  ModelReply,
  ModelRequest,
  ModelTool,
  Outbound,
  OutboundRequest,
  OutboundResponse,
  Part,
  TelemetryRecord,
} from './models/model-client.ts';
export { isPassing, ModelError, type ModelErrorOptions, type ModelFault } from './models/model-error.ts';
export {
  type Authenticate,
  type Authentication,
  adminScope,
  anonymous,
  type ControlAccess,
  type ControlRule,
  type Credentials,
  holds,
  narrow,
  type Principal,
  scopeRefusal,
} from './principal/principal.ts';
export { checkRoutes } from './route/check-routes.ts';
export { defineRoute, type HandlerRouteOptions, type ListingOptions, listing } from './route/define-route.ts';
export type {
  Handler,
  Infer,
  InputOf,
  InputRecord,
  InputShape,
  OutputOf,
  OutputShape,
  ParamNames,
  RawSchema,
} from './route/handler.ts';
export { essenceOf, isJsonType, isTextType, type MediaSchema, media, mediaTypeOf } from './route/media.ts';
export { toEnforcedSchema } from './route/parameters.ts';
export { type ParsedPath, parsePath, type Segment } from './route/path-template.ts';
export { from, type Place } from './route/place.ts';
export { Reply, reply } from './route/reply.ts';
export type {
  Approver,
  BodyForm,
  EngineKind,
  Method,
  Parameter,
  Placement,
  Retry,
  Route,
  RouteCors,
  RouteOptions,
} from './route/route.ts';
export {
  answersOf,
  etag,
  ifMatch,
  ifNoneMatch,
  location,
  nextLink,
  type RouteFacts,
} from './route/route-facts.ts';
export { namePattern } from './route/route-name.ts';
export { routeRules } from './route/route-rules.ts';
export {
  createRouteTable,
  defaultAgentTimeoutMs,
  defaultRequestTimeoutMs,
  type RouteTable,
  type RouteTableOptions,
} from './route/route-table.ts';
export { defaultMaxBodyBytes, type EngineRouteOptions, toRoute } from './route/to-route.ts';
export {
  BudgetExhausted,
  type Decision,
  type GateRequest,
  isWaiting,
  type OpResult,
  type OpSpec,
  type Resumption,
  type RunEnd,
  RunFailed,
  type Runner,
  type RunOutcome,
  type RunReport,
  type RunScope,
  type RunSpec,
  type RunStatus,
  type RunStep,
  type RunUsage,
  type RunWaiting,
  type SessionAppend,
  type SessionTurn,
  type Step,
  type WaitingStatus,
  type WrittenPiece,
} from './runs/run.ts';
export {
  answerInside,
  type RunAnswerOptions,
  relay,
  runAnswerRoute,
  runFacts,
  toRunPath,
} from './runs/run-answer.ts';
export {
  runStepSchema,
  runUsageSchema,
  runWaitSchema,
  toWireUsage,
  toWireWait,
  toWireWaiting,
  waitingSchemas,
  waitingStatusSchema,
} from './runs/run-envelope.ts';
export { idPattern } from './schema/id-pattern.ts';
export { isLibrarySchema } from './schema/library-schema.ts';
export { toPart } from './schema/own-root.ts';
export {
  enterSchema,
  isSchemaObject,
  resolveReference,
  type SchemaObject,
  type SchemaScope,
  type SchemaTarget,
} from './schema/references.ts';
export {
  isStandardSchema,
  type StandardIssue,
  type StandardJsonSchema,
  type StandardOutput,
  type StandardProps,
  type StandardResult,
  type StandardSchema,
} from './schema/standard-schema.ts';
export { type StandardReading, validateStandard } from './schema/validate-standard.ts';
export { validateValue } from './schema/validate-value.ts';
export type {
  Approval,
  AskedWait,
  BegunCall,
  Decided,
  Due,
  Fence,
  Forked,
  ListedRun,
  OpCommit,
  OpRecord,
  OpSpend,
  Parked,
  Redo,
  Retried,
  RunError,
  RunFinish,
  RunPage,
  RunRecord,
  RunStart,
  RunStore,
  SessionStore,
  TakenRoot,
  Taker,
  TimedWait,
  Transaction,
  Wait,
} from './stores/run-store.ts';
export { longestWaitMs, suspiciousAttempts } from './stores/run-store.ts';
export type {
  AuditEvent,
  AuditRecord,
  AuditStore,
  Delivery,
  Insight,
  InsightStore,
  Leases,
  Outbox,
  Spend,
  SpendTotal,
  Stores,
  UsageStore,
} from './stores/stores.ts';
export {
  type AudioMarker,
  audio,
  type BytesMarker,
  type ImageMarker,
  image,
  type MarkedBytes,
  type MarkedContent,
  type MarkedLink,
  type MarkedResource,
  type ResourceLinkMarker,
  type ResourceMarker,
  readMarker,
  resource,
  resourceLink,
  toMarker,
} from './tools/content-markers.ts';
export { drain } from './tools/drain.ts';
export {
  maxToolBytes,
  type ReadAnswer,
  readAnswer,
  tooLargeAnswer,
  type WholeBody,
} from './tools/read-answer.ts';
export {
  approvalRequired,
  callTool,
  refusalOverMcp,
  type Tool,
  type ToolAnnotations,
  type ToolCall,
  type ToolResult,
  toolFailure,
  toTool,
  toToolResult,
} from './tools/tool.ts';
