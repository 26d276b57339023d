import { type Principal, type Route, type RouteTable, toTool } from '@waymark/contract';

/** How the structured content of a tool is made: not at all, from the value itself, or from `{ result: value }`. */
export type Structure = 'none' | 'object' | 'wrapped';

/** What is known of a tool before it is called. */
export interface Description {
  /** Tells descriptions apart; a route that replaces another of its name has another one. */
  readonly key: number;
  /** The descriptor, as JSON text. */
  readonly text: string;
  readonly structure: Structure;
}

/** The tools of a table as MCP shows them. */
export interface Catalogue {
  tool(name: string): Route | undefined;
  describe(route: Route): Description;
  /** The result of `tools/list` as JSON text. Serialised once for each set of tools that some caller can see. */
  list(principal: Principal): string;
}

/** Lists kept, the ones asked for longest ago go first. A list of a hundred tools is about 50 KB. */
const maxLists = 32;

/** Projects a table. Descriptions live as long as their routes. */
export function createCatalogue(table: Pick<RouteTable, 'tool' | 'tools'>): Catalogue {
  const descriptions = new WeakMap<Route, Description>();
  const lists = new Map<string, string>();
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
    list(principal) {
      const visible = table.tools(principal).map(describe);
      const key = visible.map((description) => description.key).join();
      const text = lists.get(key) ?? `{"tools":[${visible.map((description) => description.text).join()}]}`;
      lists.delete(key);
      lists.set(key, text);
      for (const oldest of lists.keys()) {
        if (lists.size <= maxLists) break;
        lists.delete(oldest);
      }
      return text;
    },
  };
}

function toDescription(route: Route): Omit<Description, 'key'> {
  const tool = toTool(route);
  const { outputSchema } = tool;
  const structure = outputSchema === undefined ? 'none' : isObjectSchema(outputSchema) ? 'object' : 'wrapped';
  const text = JSON.stringify({
    ...tool,
    ...(outputSchema && structure === 'wrapped' && { outputSchema: wrap(outputSchema) }),
    // Official clients drop annotations they do not know, and keep _meta.
    ...(tool.annotations.requiresApproval && { _meta: { 'waymark/requiresApproval': true } }),
  });
  return { text, structure };
}

function isObjectSchema(schema: object): boolean {
  return (schema as { type?: unknown }).type === 'object';
}

/** MCP wants an object at the root. References like `#/$defs/…` start at the root, so definitions move there. */
function wrap(schema: object): object {
  const { $defs, $schema, ...rest } = schema as Record<string, unknown>;
  const hasOwnRoot = '$id' in schema;
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result: hasOwnRoot ? schema : rest },
    required: ['result'],
    ...($defs !== undefined && !hasOwnRoot && { $defs }),
  };
}
