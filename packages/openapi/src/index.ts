export { checkOpenApi } from './check-open-api.ts';
export type {
  Content,
  DocumentParameter,
  HttpMethod,
  OpenApiDocument,
  Operation,
  OperationExtension,
  ParameterExtension,
  PathItem,
  Reference,
  RequestBody,
  Response,
  RootExtension,
  Schema,
  SecurityRequirement,
  SecurityScheme,
} from './document.ts';
export type { SecurityOptions } from './security.ts';
export { type OpenApiInfo, toOpenApi, toOpenApiInTurns } from './to-open-api.ts';
