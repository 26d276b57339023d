import type { Application } from '@waymark/server';

/** As much of an OpenAPI document as a gateway needs. Schemas are inline: what refers to others is written out before. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema: object;
    readonly required?: boolean;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: Schemas } }>>;
  };
}

type Schemas = Readonly<Record<string, object>>;

/** Where the operations go. */
export interface Gateway {
  readonly upstream: string;
  /** Path that they are served below. */
  readonly prefix: string;
  scopesOf(method: string): readonly string[];
}

/** Reads the document of a service. */
export async function readDocument(url: string): Promise<Document> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return (await response.json()) as Document;
}

/** Declares a route, and a tool of the same name, for each operation of a document. */
export function declareOperations(application: Application, { paths }: Document, gateway: Gateway): void {
  for (const [path, operations] of Object.entries(paths))
    for (const method of methods) {
      const operation = operations[method.toLowerCase()];
      if (!operation) continue;
      application.proxy(method, `${gateway.prefix}${path}`, gateway.upstream, {
        rewrite: path,
        input: inputOf(operation),
        summary: operation.summary ?? operation.operationId,
        tool: true,
        toolName: operation.operationId,
        scopes: gateway.scopesOf(method),
      });
    }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** One flat input: parameters of path and query, and the members of a JSON body. */
function inputOf({ parameters = [], requestBody }: Operation): Schemas {
  const members = requestBody?.content['application/json']?.schema.properties ?? {};
  return { ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])), ...members };
}
