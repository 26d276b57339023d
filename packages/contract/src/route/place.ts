import { isStandardSchema } from '../schema/standard-schema.ts';

/**
 * The place where a parameter travels. Default: `path` when the template names it; else `query` for GET and DELETE, `body`
 * for the rest. `content`: the parameter is the whole JSON body (an array, say); at most one for each route.
 */
export type Place = 'path' | 'query' | 'body' | 'content';

const place: unique symbol = Symbol('waymark.place');

/**
 * Moves one parameter: `{ input: { notify: from('query', Type.Boolean()) } }`. The schema and its type are unchanged:
 * the place is a hidden property of a copy.
 */
export function from<S extends object>(where: Place, schema: S): S {
  // A schema of a library may be a function or of a class: it is read by this one property alone.
  const copy = (
    isStandardSchema(schema)
      ? { '~standard': schema['~standard'] }
      : Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema))
  ) as S;
  return Object.defineProperty(copy, place, { value: where, configurable: true });
}

/** The place a schema was given with `from`, if any. */
export function placeOf(schema: object): Place | undefined {
  return (schema as { [place]?: Place })[place];
}
