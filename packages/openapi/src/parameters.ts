import type { Route } from '@waymark/contract';
import { type Parameter, parsePath } from '@waymark/contract/route';
import { enterSchema, type SchemaObject, type SchemaScope, valuesOf } from '@waymark/contract/schema';
import type { Components, Origin } from './components.ts';
import type { DocumentParameter, ParameterExtension, Schema } from './document.ts';
import { exampleOf } from './example.ts';
import { withoutNull } from './without-null.ts';

/** A route's path in the form of OpenAPI: `{name*}` is `{name}`. */
export function toPathTemplate(path: string): string {
  return path.replace(/\{(\w+)\*\}/g, '{$1}');
}

/** The form in which OpenAPI takes two paths for the same: names do not count. */
export function pathKey(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}');
}

/** The names in a path, in order. */
export function pathParameters(path: string): readonly { readonly name: string; readonly rest: boolean }[] {
  const parsed = parsePath(path);
  if (!parsed.ok) return [];
  return parsed.segments.flatMap((segment) =>
    segment.kind === 'literal' ? [] : [{ name: segment.name, rest: segment.kind === 'rest' }],
  );
}

/**
 * Describes what travels in path and query.
 *
 * @param template the document's path, whose names may be those of another route
 */
export function toParameters(
  route: Route,
  template: string,
  components: Components,
  origin: Origin,
): readonly DocumentParameter[] {
  const scope = enterSchema(route.inputSchema as SchemaObject);
  const schemaOf = ({ name, schema }: Parameter): Schema =>
    components.add(withoutNull(schema, scope), { ...origin, name: `${origin.name}_${name}` });
  const names = pathParameters(template);
  const inPath = pathParameters(route.path).flatMap(({ name, rest }, i) => {
    const parameter = route.parameters.find((one) => one.name === name && one.place === 'path');
    if (!parameter) return [];
    const shown = toPathParameter(name, names[i]?.name ?? name, rest, schemaOf(parameter));
    return [withExample(shown, parameter, scope)];
  });
  const inQuery = route.parameters
    .filter(({ place }) => place === 'query')
    .map((parameter) =>
      withExample(toQueryParameter(parameter, schemaOf(parameter), scope), parameter, scope),
    );
  return [...inPath, ...inQuery, ...toHeaderParameters(route)];
}

/** What is left out when nobody gives it needs no example: readers would send it. */
function withExample(
  shown: DocumentParameter,
  { schema, required }: Parameter,
  scope: SchemaScope,
): DocumentParameter {
  if (!required) return shown;
  const example = exampleOf(withoutNull(schema, scope), scope.node);
  return example ? { ...shown, example: example.value } : shown;
}

function toHeaderParameters({ facts }: Route): readonly DocumentParameter[] {
  return Object.entries(facts.reads ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function toPathParameter(name: string, shown: string, rest: boolean, schema: Schema): DocumentParameter {
  const extension: ParameterExtension = { ...(rest && { rest: true }), ...(shown !== name && { name }) };
  return {
    name: shown,
    in: 'path',
    required: true,
    ...texts(schema),
    schema,
    ...(Object.keys(extension).length > 0 && { 'x-waymark': extension }),
  };
}

function toQueryParameter(
  { name, required, schema: declared }: Parameter,
  schema: Schema,
  scope: SchemaScope,
): DocumentParameter {
  const { types, open } = valuesOf(declared, scope);
  const list = !open && types.has('array');
  return {
    name,
    in: 'query',
    required,
    ...texts(schema),
    ...(list && { style: 'form', explode: true }),
    schema,
  };
}

/** OpenAPI readers look for these on the parameter, not in its schema. */
function texts(schema: Schema): Pick<DocumentParameter, 'description' | 'deprecated'> {
  if (typeof schema !== 'object') return {};
  const { description, deprecated } = schema;
  return {
    ...(typeof description === 'string' && { description }),
    ...(deprecated === true && { deprecated }),
  };
}
