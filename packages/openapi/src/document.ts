/** An OpenAPI 3.1 document as plain JSON data: it shares no object with the table it was made from. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers?: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
  readonly 'x-waymark': RootExtension;
}

/** Properties of the document that OpenAPI has no member for. */
export interface RootExtension {
  readonly specification: '2.3';
  /** The path of the MCP endpoint, where the table has one. */
  readonly mcp?: string;
  /** The path of the page that shows the document, where the table has one. */
  readonly docs?: string;
  /** Names of routes that no OpenAPI path can tell from another: a `{rest*}` beside a `{segment}`. */
  readonly omitted?: readonly string[];
}

/** Operations of one path, by method in lower case. */
export type PathItem = Readonly<Partial<Record<HttpMethod, Operation>>>;

/** Method of an operation, in lower case. */
export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Operation of the document: one route. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly tags: readonly string[];
  readonly parameters?: readonly DocumentParameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly security?: readonly SecurityRequirement[];
  readonly 'x-waymark': OperationExtension;
}

/** Promises of a route that OpenAPI has no member for, by the names of the routes listing. */
export interface OperationExtension {
  readonly engine: string;
  readonly tool: boolean;
  readonly scopes: readonly string[];
  readonly approval: 'never' | 'required';
  readonly read_only: boolean;
  readonly idempotent: boolean;
  readonly destructive: boolean;
  /** Answers `text/event-stream` when asked. */
  readonly progress: boolean;
  /** The method of the generated client: `control.approvals.decide`; absent where it has none, or nobody said. */
  readonly client?: string;
  /** Name of the parameter that is the whole JSON body, for tools and the client. */
  readonly content?: string;
  /** Milliseconds that the service works on it before it answers 504; absent without a limit. */
  readonly timeout_ms?: number;
}

/** Parameter of an operation: in the path or query, or a header that the route reads. */
export interface DocumentParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly deprecated?: true;
  readonly style?: 'form';
  readonly explode?: true;
  readonly schema: Schema;
  /** Example that is valid under the schema. */
  readonly example?: unknown;
  readonly 'x-waymark'?: ParameterExtension;
}

/** Properties of a parameter that OpenAPI has no member for. */
export interface ParameterExtension {
  /** Takes the rest of the path: its slashes stay, each segment is encoded. */
  readonly rest?: true;
  /**
   * Name of the parameter for tools and the client, where another route named this part of the path differently first.
   */
  readonly name?: string;
}

/** Request body of an operation. */
export interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
}

/** Response of an operation. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  readonly content?: Content;
}

/** Bodies by media type; one without a schema is bytes. An example is valid under its schema. */
export type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

/** Reference to a component of the document. */
export interface Reference {
  readonly $ref: string;
}

/** Scheme name to scopes; all members of one requirement are needed, one requirement of a list is enough. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** Security scheme of the document: a key in a header, or a bearer token. */
export type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string; readonly description: string }
  | {
      readonly type: 'http';
      readonly scheme: 'bearer';
      readonly bearerFormat: 'JWT';
      readonly description: string;
    };

/** JSON Schema 2020-12, as plain data. */
export type Schema = Readonly<Record<string, unknown>> | boolean;
