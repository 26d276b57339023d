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
export { type OpenApiInfo, toOpenApi } from './to-open-api.ts';
