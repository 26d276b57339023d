export { type Static, Type } from 'typebox';
export { DeclarationError, type Problem } from './declaring/declaration-error.ts';
export { HTTPError, type HTTPErrorOptions } from './engine/http-error.ts';
export type { Json, Values } from './engine/json.ts';
export type { Progress, RouteRequest } from './engine/message.ts';
export { defineRoute, type HandlerRouteOptions } from './route/define-route.ts';
export type { Handler, Infer, InputOf, InputShape, OutputShape, RawSchema } from './route/handler.ts';
export { listing } from './route/listing.ts';
export { type MediaSchema, media } from './route/media.ts';
export { from } from './route/place.ts';
export { Reply, reply } from './route/reply.ts';
export type { Route, RouteOptions } from './route/route.ts';
export { createRouteTable, type RouteTable } from './route/route-table.ts';
export { type EngineRouteOptions, toRoute } from './route/to-route.ts';
export {
  type AudioMarker,
  audio,
  type ImageMarker,
  image,
  type ResourceLinkMarker,
  type ResourceMarker,
  resource,
  resourceLink,
} from './tools/content-markers.ts';
export { callTool, type Tool, type ToolResult, toTool } from './tools/tool.ts';
