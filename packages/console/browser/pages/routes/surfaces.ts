import type { ControlToolsListOutputToolsItem as ToolRow } from '../../client/control.ts';
import { toShellWord } from '../../design/json-text.ts';
import type { ApiDocument, ApiOperation } from './api-document.ts';
import { exampleOf } from './example-of.ts';
import { asMembers, isMembers, type Members } from './json.ts';
import { toLiteral } from './to-literal.ts';

/** A route of the listing, as far as its surfaces need it. */
export interface ListedRoute {
  readonly method: string;
  readonly path: string;
  readonly tool: string | null;
}

/** What is known of a route. */
export interface KnownRoute {
  readonly route: ListedRoute;
  /** Undefined for sockets: the document has none. */
  readonly operation: ApiOperation | undefined;
  /** Undefined for what is no tool, and for tools of others. */
  readonly tool: ToolRow | undefined;
  readonly document: Pick<ApiDocument, 'resolve'>;
  /** Where the application is, without a slash at its end. */
  readonly base: string;
}

/** A call of it for a POSIX shell. The key is a variable, never the key itself. */
export function toCurl(known: KnownRoute): string | undefined {
  const { route, operation, base } = known;
  if (!operation) return undefined;
  const { method } = route;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${toShellWord(base + toTarget(known, operation))}`,
    '-H "x-api-key: $KEY"',
    ...bodyLines(known, operation),
  ];
  return lines.join(' \\\n  ');
}

/** The message that uses it as a tool. */
export function toMcpCall({ tool, document }: KnownRoute): string | undefined {
  if (!tool) return undefined;
  const params = { name: tool.name, arguments: exampleOf(tool.inputSchema, document) ?? {} };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, null, 2);
}

/** A call with the generated client; undefined where the document names no method of it. */
export function toClientCall(known: KnownRoute): string | undefined {
  const { operation, base } = known;
  if (operation?.client === undefined) return undefined;
  const given = toArguments(known, operation);
  return [
    "import { createClient } from './client.ts';",
    '',
    `const client = createClient({ baseUrl: ${toLiteral(base)}, apiKey: process.env['KEY'] });`,
    `const answer = await client.${operation.client}(${Object.keys(given).length === 0 ? '' : toLiteral(given)});`,
  ].join('\n');
}

/** What it takes and answers, as JSON Schema. */
export function toSchemas({ operation, tool }: KnownRoute): Members | undefined {
  if (!operation && !tool) return undefined;
  const properties = Object.fromEntries(
    (operation?.parameters ?? []).map(({ argument, schema }) => [argument, schema]),
  );
  const input = tool?.inputSchema ?? {
    ...(Object.keys(properties).length > 0 && { parameters: properties }),
    ...(operation?.body && { body: operation.body.schema ?? operation.body.mediaType }),
  };
  return { input, answer: operation?.answer ?? 'no JSON' };
}

/** Where the call goes: what has to be in it, with values that it takes. */
function toTarget({ route, document }: KnownRoute, { parameters }: ApiOperation): string {
  const value = (name: string): string => {
    const found = parameters.find((one) => one.place === 'path' && one.name === name);
    return String(found?.example ?? exampleOf(found?.schema, document) ?? name);
  };
  const target = route.path.replace(/\{(\w+)\*?\}/g, (_, name: string) => encodeURIComponent(value(name)));
  const query = parameters
    .filter(({ place, required }) => place === 'query' && required)
    .map(({ name, schema, example }): [string, string] => [
      name,
      String(example ?? exampleOf(schema, document) ?? ''),
    ]);
  return query.length === 0 ? target : `${target}?${new URLSearchParams(query)}`;
}

function bodyLines({ document }: KnownRoute, { body }: ApiOperation): readonly string[] {
  if (!body) return [];
  if (!/json/i.test(body.mediaType))
    return [
      `-H ${toShellWord(`content-type: ${body.mediaType === '*/*' ? 'image/png' : body.mediaType}`)}`,
      "--data-binary '@file'",
    ];
  const value = body.example ?? exampleOf(body.schema, document);
  // `--data` would read a file where a text begins with `@`.
  return [
    `-H ${toShellWord('content-type: application/json')}`,
    `--data-raw ${toShellWord(JSON.stringify(value))}`,
  ];
}

/** One object with all that it takes, as the client and tools want it. */
function toArguments({ tool, document }: KnownRoute, operation: ApiOperation): Members {
  if (tool) return asMembers(exampleOf(tool.inputSchema, document));
  const given = operation.parameters
    .filter(({ required }) => required)
    .map(({ argument, schema, example }) => [argument, example ?? exampleOf(schema, document)]);
  const body = operation.body && (operation.body.example ?? exampleOf(operation.body.schema, document));
  const whole = operation.content ?? (isMembers(body) || body === undefined ? undefined : 'body');
  return {
    ...Object.fromEntries(given),
    ...(whole === undefined ? asMembers(body) : { [whole]: body }),
  };
}
