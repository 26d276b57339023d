import { HTTPError, type Route, Type, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';

/** Where the MCP endpoint is for those outside, and what they are told about it. */
export interface ProtectedResourceOptions {
  readonly controlPrefix: string;
  /** Absent: each client is told the host it asked for, which the door has found to be ours. */
  readonly publicUrl: string | undefined;
  /** What stands before the paths of the table where there is no public URL. */
  readonly mountPath: string;
  /** URLs of those who issue tokens; at least one. */
  readonly issuers: readonly string[];
  /** What a token needs, for the endpoint and for its tools; asked at each request. */
  readonly scopes: () => readonly string[];
}

/** Where the metadata of protected resources is looked for (RFC 9728, 3). */
export const metadataPath = '/.well-known/oauth-protected-resource';

/** Makes the function that gives the URL of a path of ours for a client, from the host that it asked for. */
export function createUrlMaker(
  publicUrl: string | undefined,
  mountPath: string,
): (host: string | undefined, path: string) => string | undefined {
  // Without a public URL nobody stands in front of us, and we speak plain HTTP.
  const base = publicUrl?.replace(/\/+$/, '');
  return (host, path) => {
    if (base !== undefined) return base + path;
    // HTTP/1.0 may come without a host, and any client with an empty one.
    return host ? `http://${host}${mountPath}${path}` : undefined;
  };
}

/** The metadata of the MCP endpoint as a protected resource (RFC 9728): whose tokens it takes, and how. */
export function protectedResourceRoute(options: ProtectedResourceOptions): Route {
  const { controlPrefix, publicUrl, mountPath, issuers, scopes } = options;
  const urlOf = createUrlMaker(publicUrl, mountPath);
  const answer = ({ request }: EngineContext): object => {
    const resource = urlOf(request.headers['host'], `${controlPrefix}/mcp`);
    if (resource === undefined) throw new HTTPError(400, 'a Host header is needed to say where this is');
    const supported = scopes();
    return {
      resource,
      authorization_servers: [...new Set(issuers)],
      ...(supported.length > 0 && { scopes_supported: supported }),
      bearer_methods_supported: ['header'],
    };
  };
  return toRoute(
    'GET',
    `${metadataPath}${controlPrefix}/mcp`,
    { kind: 'control', answer },
    {
      // Names must not change with the prefix.
      toolName: 'get_oauth_protected_resource',
      summary: 'Says who issues tokens for the MCP endpoint.',
      output: metadata,
      // Official clients say their revision here, too.
      cors: { headers: ['mcp-protocol-version'], expose: [] },
    },
  );
}

const metadata = Type.Object(
  {
    resource: Type.String({ description: 'The URL of the MCP endpoint.' }),
    authorization_servers: Type.Array(Type.String()),
    scopes_supported: Type.Optional(
      Type.Array(Type.String(), { description: 'What a token needs to be let in, and to use all tools.' }),
    ),
    bearer_methods_supported: Type.Array(Type.String()),
  },
  { additionalProperties: false },
);
