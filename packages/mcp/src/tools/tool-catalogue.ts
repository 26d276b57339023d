import { type Route, type RouteTable, toTool, type Values } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import { toPart } from '@waymark/contract/schema';
import type { McpOptions } from '../mcp.ts';
import { requiredCapabilities } from '../protocol/client-capabilities.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { type ParameterHeader, parameterHeaders } from './parameter-headers.ts';
import { toToolSchema } from './tool-schema.ts';

/** How the structured content of a tool is made: not at all, from the value itself, or from `{ result: value }`. */
export type Structure = 'none' | 'object' | 'wrapped';

/** What is known of a tool before it is called. */
export interface Description {
  /** Tells descriptions apart; a route that replaces another of its name has another one. */
  readonly key: number;
  /** The descriptor, as JSON text: whole, and as the first revision knew it. */
  readonly text: string;
  readonly plainText: string;
  readonly structure: Structure;
  readonly headers: readonly ParameterHeader[];
  /** What its client must be able to do. */
  readonly capabilities: Values | undefined;
}

/** Which page of which list. */
export interface PageRequest {
  readonly principal: Principal;
  readonly dialect: Dialect;
  /** The only tools there are. */
  readonly tools?: ReadonlySet<string>;
  /** From the page before, as the client gave it back; none is the first page. */
  readonly cursor: unknown;
}

/** The tools of a table as MCP shows them. */
export interface Catalogue {
  tool(name: string): Route | undefined;
  describe(route: Route): Description;
  /**
   * A result of `tools/list` as JSON text; undefined for a cursor that was never given out. Serialised once for each
   * set of tools that some caller can see.
   */
  page(request: PageRequest): string | undefined;
}

/** Lists kept, the ones asked for longest ago go first. A list of a hundred tools is about 50 KB. */
const maxLists = 32;

/** More would be too much for one answer; clients ask for the rest. */
const maxTools = 1000;

/** How long a client may keep a list. Tables change with a deployment, scopes with a credential. */
const ttlMs = 60_000;

/** What 2026-07-28 wants to read of everything that can be kept. */
export function cacheHints(cacheScope: 'public' | 'private'): object {
  return { ttlMs, cacheScope };
}

/** Projects a table. Descriptions live as long as their routes. */
export function createCatalogue(
  table: Pick<RouteTable, 'tool' | 'tools'>,
  { cacheScope = 'private' }: Pick<McpOptions, 'cacheScope'> = {},
): Catalogue {
  const descriptions = new WeakMap<Route, Description>();
  const lists = new Map<string, Pages>();
  let described = 0;

  const describe = (route: Route): Description => {
    const known = descriptions.get(route);
    if (known) return known;
    const description = { key: described++, ...toDescription(route) };
    descriptions.set(route, description);
    return description;
  };

  return {
    tool: (name) => table.tool(name),
    describe,
    page({ principal, dialect, tools, cursor }) {
      const seen = table.tools(principal);
      const visible = (tools ? seen.filter(({ name }) => tools.has(name)) : seen).map(describe);
      const key = `${dialect.name} ${visible.map((description) => description.key).join()}`;
      const pages = lists.get(key) ?? toPages(visible, dialect, cacheScope);
      lists.delete(key);
      lists.set(key, pages);
      for (const oldest of lists.keys()) {
        if (lists.size <= maxLists) break;
        lists.delete(oldest);
      }
      return pages.get(cursor);
    },
  };
}

/** The pages of a list by the cursor that leads to them; undefined leads to the first. */
type Pages = ReadonlyMap<unknown, string>;

function toPages(
  descriptions: readonly Description[],
  { structured, cacheable }: Dialect,
  cacheScope: 'public' | 'private',
): Pages {
  const pages = new Map<unknown, string>();
  const hints = cacheable ? `,${JSON.stringify(cacheHints(cacheScope)).slice(1, -1)}` : '';
  for (let start = 0; start === 0 || start < descriptions.length; start += maxTools) {
    const end = start + maxTools;
    const texts = descriptions
      .slice(start, end)
      .map(({ text, plainText }) => (structured ? text : plainText));
    const next = end < descriptions.length ? `,"nextCursor":"${cursorTo(end)}"` : '';
    pages.set(start === 0 ? undefined : cursorTo(start), `{"tools":[${texts.join()}]${next}${hints}}`);
  }
  return pages;
}

/** The same in every process: a client may get its next page from another one. */
function cursorTo(start: number): string {
  return Buffer.from(`tools ${start}`).toString('base64url');
}

function toDescription(route: Route): Omit<Description, 'key'> {
  const described = toTool(route);
  const tool = { ...described, inputSchema: toToolSchema(described.inputSchema) };
  const output = described.outputSchema && toToolSchema(described.outputSchema);
  const structure = output === undefined ? 'none' : isObjectSchema(output) ? 'object' : 'wrapped';
  return {
    text: JSON.stringify({
      ...tool,
      ...(output && { outputSchema: structure === 'wrapped' ? wrap(output) : output }),
      // Official clients drop annotations they do not know, and keep _meta.
      ...(tool.annotations.requiresApproval && { _meta: { 'waymark/requiresApproval': true } }),
    }),
    plainText: JSON.stringify({ ...tool, outputSchema: undefined }),
    structure,
    headers: parameterHeaders(tool.inputSchema).headers,
    capabilities: requiredCapabilities(tool.inputSchema),
  };
}

function isObjectSchema(schema: object): boolean {
  return (schema as { type?: unknown }).type === 'object';
}

/** MCP wants an object at the root. References like `#/$defs/…` start at the root, so definitions move there. */
function wrap(schema: object): object {
  const { $defs, $schema, ...rest } = toPart(schema, 'result') as Record<string, unknown>;
  const hasOwnRoot = '$id' in schema;
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result: hasOwnRoot ? schema : rest },
    required: ['result'],
    ...($defs !== undefined && !hasOwnRoot && { $defs }),
  };
}
