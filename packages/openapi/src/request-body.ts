import type { Route } from '@waymark/contract';
import { mediaTypeOf, type Parameter } from '@waymark/contract/route';
import type { SchemaObject as Node } from '@waymark/contract/schema';
import type { Components, Origin } from './components.ts';
import type { RequestBody } from './document.ts';
import { toJsonContent } from './json-content.ts';

/** Describes the body of a route; undefined where none is read. */
export function toRequestBody(route: Route, components: Components, origin: Origin): RequestBody | undefined {
  if (route.body === 'none' || route.body === 'any') return undefined;
  const content = route.parameters.find(({ place }) => place === 'content');
  if (content)
    return { required: content.required, content: toJsonContent(content.schema, components, origin) };
  if (route.body !== 'json') return toRawBody(route, components, origin);
  const members = route.parameters.filter(({ place }) => place === 'body');
  return {
    required: members.some(({ required }) => required),
    content: toJsonContent(bodySchema(route, members), components, origin),
  };
}

/** Raw bytes have no schema in OpenAPI 3.1. Where nobody says what they are, the route takes any content type. */
function toRawBody({ facts: { takes } }: Route, components: Components, origin: Origin): RequestBody {
  if (takes === undefined) return { required: false, content: { '*/*': {} } };
  const mediaType = mediaTypeOf(takes);
  if (mediaType !== undefined) return { required: true, content: { [mediaType]: {} } };
  const { root: _, ...own } = origin;
  return { required: true, content: toJsonContent(takes, components, own) };
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
