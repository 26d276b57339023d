import type { SchemaObject as Node, Parameter, Route } from '@waymark/contract';
import type { Components, Origin } from './components.ts';
import type { RequestBody, Schema } from './document.ts';

/** Describes the body of a route; undefined where none is read. */
export function toRequestBody(route: Route, components: Components, origin: Origin): RequestBody | undefined {
  if (route.body === 'none' || route.body === 'any') return undefined;
  const content = route.parameters.find(({ place }) => place === 'content');
  if (content) return json(content.required, components.add(content.schema, origin));
  // Raw bytes have no schema in OpenAPI 3.1; the route takes any content type.
  if (route.body !== 'json') return { required: false, content: { '*/*': {} } };
  const members = route.parameters.filter(({ place }) => place === 'body');
  return json(
    members.some(({ required }) => required),
    components.add(bodySchema(route, members), origin),
  );
}

function json(required: boolean, schema: Schema): RequestBody {
  return { required, content: { 'application/json': { schema } } };
}

/**
 * The input schema without what travels elsewhere. It is kept as it is when everything travels in the body, so that
 * keywords beside `properties` in a raw JSON Schema keep their meaning.
 */
function bodySchema({ inputSchema, parameters }: Route, members: readonly Parameter[]): object {
  if (members.length === parameters.length) return withoutEmptyRequired(inputSchema as Node);
  const names = new Set(members.map(({ name }) => name));
  const { properties = {}, required = [], ...rest } = inputSchema as Node;
  return withoutEmptyRequired({
    ...rest,
    properties: Object.fromEntries(Object.entries(properties as Node).filter(([name]) => names.has(name))),
    required: (required as readonly string[]).filter((name) => names.has(name)),
  });
}

function withoutEmptyRequired(schema: Node): Node {
  const { required, ...rest } = schema;
  return Array.isArray(required) && required.length === 0 ? rest : schema;
}
