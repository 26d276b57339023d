export { type Static, Type } from 'typebox';
export { asText } from './as-text.ts';
export { type CallSite, callSite, parseCallSite } from './call-site.ts';
export { checkOptions, isOptions, type Shape, type Shapes, wellShaped } from './check-options.ts';
export { checkRoutes } from './check-routes.ts';
export { checkScopes } from './check-scopes.ts';
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
} from './content-markers.ts';
export { toFinding } from './declaration-finding.ts';
export { routeRules } from './declaration-route-rules.ts';
export { type Fault, type RuleBook, toProblems } from './declaration-rules.ts';
export { defineRoute, type HandlerRouteOptions, type ListingOptions, listing } from './define-route.ts';
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
} from './dispatch.ts';
export { docstring } from './docstring.ts';
export { drain } from './drain.ts';
export type { Engine, EngineContext } from './engine.ts';
export {
  DeclarationError,
  HostError,
  HTTPError,
  type HTTPErrorOptions,
  type InputError,
  type Problem,
  type ProblemMembers,
  toProblemLine,
} from './errors.ts';
export { eventStreamType, keepAliveText, type ServerSentEvent, toEventText } from './event-stream-text.ts';
export type { Feature, Kind } from './feature.ts';
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
} from './handler.ts';
export { idPattern } from './id-pattern.ts';
export type { Awaitable, Cancel, Json, Values } from './json.ts';
export { isLibrarySchema } from './library-schema.ts';
export { matchesETag } from './matches-etag.ts';
export { essenceOf, isJsonType, isTextType, type MediaSchema, media, mediaTypeOf } from './media.ts';
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
} from './message.ts';
export { isPassing, ModelError, type ModelErrorOptions, type ModelFault } from './model-error.ts';
export { nearest, nearestOr } from './nearest.ts';
export { toPart } from './own-root.ts';
export { toEnforcedSchema } from './parameters.ts';
export { type ParsedPath, parsePath, type Segment } from './path-template.ts';
export { type EncodedMessages, encodeMessages, type Peer } from './peer.ts';
export { from, type Place } from './place.ts';
export type { Boot, Declaration, Finding, Host, Log, LogLevel, Plugin } from './plugin.ts';
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
} from './ports.ts';
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
} from './principal.ts';
export { maxToolBytes, type ReadAnswer, readAnswer, tooLargeAnswer, type WholeBody } from './read-answer.ts';
export { readSchema, readWholeSchema, type SchemaReading } from './read-schema.ts';
export {
  enterSchema,
  isSchemaObject,
  resolveReference,
  type SchemaObject,
  type SchemaScope,
  type SchemaTarget,
} from './references.ts';
export { Reply, reply } from './reply.ts';
export { readRetryAfter } from './retry-after.ts';
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
} from './route.ts';
export { answersOf, etag, ifMatch, ifNoneMatch, location, nextLink, type RouteFacts } from './route-facts.ts';
export { namePattern } from './route-name.ts';
export {
  createRouteTable,
  defaultAgentTimeoutMs,
  defaultRequestTimeoutMs,
  type RouteTable,
  type RouteTableOptions,
} from './route-table.ts';
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
} from './run.ts';
export {
  answerInside,
  type RunAnswerOptions,
  relay,
  runAnswerRoute,
  runFacts,
  toRunPath,
} from './run-answer.ts';
export {
  runStepSchema,
  runUsageSchema,
  runWaitSchema,
  toWireUsage,
  toWireWait,
  toWireWaiting,
  waitingSchemas,
  waitingStatusSchema,
} from './run-envelope.ts';
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
} from './run-store.ts';
export { longestWaitMs, suspiciousAttempts } from './run-store.ts';
export {
  isStandardSchema,
  type StandardIssue,
  type StandardJsonSchema,
  type StandardOutput,
  type StandardProps,
  type StandardResult,
  type StandardSchema,
} from './standard-schema.ts';
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
} from './stores.ts';
export { defaultMaxBodyBytes, type EngineRouteOptions, toRoute } from './to-route.ts';
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
} from './tool.ts';
export { type StandardReading, validateStandard } from './validate-standard.ts';
export { validateValue } from './validate-value.ts';
