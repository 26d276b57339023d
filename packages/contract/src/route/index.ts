export { checkRoutes } from './check-routes.ts';
export { invalidInput } from './invalid-input.ts';
export { essenceOf, isJsonType, isTextType, mediaTypeOf, textOf } from './media.ts';
export { toEnforcedSchema } from './parameters.ts';
export { type ParsedPath, parsePath, type Segment } from './path-template.ts';
export type { Place } from './place.ts';
export { refuseInfinite } from './refuse-infinite.ts';
export type {
  Approver,
  BodyForm,
  EngineKind,
  Method,
  Parameter,
  Placement,
  Retry,
  RouteCors,
} from './route.ts';
export {
  answersOf,
  etag,
  ifMatch,
  ifNoneMatch,
  location,
  nextLink,
  type RouteFacts,
  unlessMatched,
} from './route-facts.ts';
export { routeRules } from './route-rules.ts';
export {
  defaultAgentTimeoutMs,
  defaultMaxBodyValues,
  defaultRequestTimeoutMs,
  type RouteTableOptions,
} from './route-table.ts';
export { defaultMaxBodyBytes } from './to-route.ts';
