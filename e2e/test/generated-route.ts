import { from, HTTPError, type InputShape, type Json, type Route, reply, toRoute } from '@waymark/contract';
import type { Method, Place } from '@waymark/contract/route';
import fc from 'fast-check';
import { json, type ParameterPlan, parameterPlan, valuesFor } from './generated-parameter.ts';

/** Scopes that generated routes need and generated keys hold. */
export const scope = fc.constantFrom('a', 'b', 'a:b');

/** A route that was made up, and the arguments it is called with. */
export interface RoutePlan {
  readonly method: Method;
  /** Without the first segment, which tells the routes of a table apart. */
  readonly path: string;
  readonly parameters: readonly ParameterPlan[];
  /** One raw JSON Schema instead of a record of schemas. */
  readonly raw: boolean;
  readonly scopes: readonly string[];
  readonly approval: 'never' | 'required';
  readonly ending: Ending;
  readonly async: boolean;
}

/** What the handler does with its validated input. */
type Ending =
  | { readonly kind: 'echo' | 'nothing' | 'bug' | 'cycle' }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'throw'; readonly status: number; readonly message: string }
  | { readonly kind: 'reply'; readonly status: number; readonly body: Json };

const ending: fc.Arbitrary<Ending> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Ending>({ kind: 'echo' }) },
  fc.record({ kind: fc.constantFrom('nothing', 'bug', 'cycle') }),
  fc.record({ kind: fc.constant('value'), value: json }),
  // Statuses outside 400 to 599 are bugs of the handler, answered 500.
  fc.record({
    kind: fc.constant('throw'),
    status: fc.oneof(fc.integer({ min: 400, max: 599 }), fc.constantFrom(200, 302, 600)),
    message: fc.string({ unit: 'grapheme' }),
  }),
  fc.record({
    kind: fc.constant('reply'),
    status: fc.constantFrom(200, 201, 202, 204, 400, 404, 409, 418, 500, 503),
    body: json,
  }),
);

const method = fc.constantFrom<Method>('GET', 'POST', 'PUT', 'PATCH', 'DELETE');

/** Makes up routes. */
export const routePlan: fc.Arbitrary<RoutePlan> = method.chain((method) => {
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const rest: fc.Arbitrary<Place[]> = hasBody
    ? fc.oneof(
        fc.array(fc.constantFrom<Place>('query', 'body', 'body'), { maxLength: 3 }),
        fc.constantFrom<Place[]>(['content'], ['content', 'query']),
      )
    : fc.array(fc.constant<Place>('query'), { maxLength: 3 });
  const places = fc
    .tuple(fc.array(fc.constant<Place>('path'), { maxLength: 2 }), rest)
    .map((both) => both.flat());
  return places.chain((all) =>
    fc.record({
      method: fc.constant(method),
      path: fc.constant(all.map((place, i) => (place === 'path' ? `/{p${i}}` : '')).join('/x')),
      parameters: fc.tuple(...all.map((place, i) => parameterPlan(`p${i}`, place))),
      // `from` has no place in a raw schema.
      raw: all.every((place) => place === 'path' || place === (hasBody ? 'body' : 'query'))
        ? fc.boolean()
        : fc.constant(false),
      scopes: fc.oneof(fc.constant([]), fc.uniqueArray(scope, { maxLength: 2 })),
      approval: fc.oneof(
        { weight: 5, arbitrary: fc.constant('never' as const) },
        fc.constant('required' as const),
      ),
      ending,
      async: fc.boolean(),
    }),
  );
});

/** Arguments for a made-up route: most given, some left out, and names that nobody declared where a body can carry them. */
export function argumentsFor({ parameters }: RoutePlan): fc.Arbitrary<Readonly<Record<string, Json>>> {
  const given: Record<string, fc.Arbitrary<Json>> = Object.fromEntries(
    parameters.map((one) => [one.name, valuesFor(one)]),
  );
  const takesMembers = parameters.some(({ place }) => place === 'body');
  const strangers: typeof given = takesMembers ? { stranger: json, p00: json } : {};
  const requiredKeys = parameters
    .filter(({ place }) => place === 'path' || place === 'content')
    .map(({ name }) => name);
  const some: fc.Arbitrary<Readonly<Record<string, Json>>> = fc.record(
    { ...given, ...strangers },
    { requiredKeys },
  );
  return fc.oneof({ weight: 4, arbitrary: fc.record(given) }, some);
}

/** The i-th route of a table. It is a tool, and its engine a handler. */
export function toGeneratedRoute(plan: RoutePlan, i: number): Route {
  const answer = ({ input }: { readonly input: object }): unknown => {
    const work = (): unknown => end(plan.ending, input);
    return plan.async ? Promise.resolve().then(work) : work();
  };
  const { method, path, scopes, approval } = plan;
  const options = { tool: true, toolName: `t${i}`, scopes, approval, input: toInput(plan) };
  return toRoute(method, `/r${i}${path}`, { kind: 'handler', answer }, options);
}

function toInput({ parameters, raw, method }: RoutePlan): InputShape {
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const isMoved = ({ place }: ParameterPlan): boolean =>
    place === 'content' || (place === 'query' && hasBody);
  const schemas = parameters.map(
    (one) => [one.name, isMoved(one) ? from(one.place, one.schema) : one.schema] as const,
  );
  if (!raw) return Object.fromEntries(schemas);
  const isRequired = (schema: object): boolean => !('default' in schema) && !('~optional' in schema);
  return {
    type: 'object',
    properties: Object.fromEntries(schemas),
    required: schemas.flatMap(([name, schema]) => (isRequired(schema) ? [name] : [])),
    additionalProperties: false,
  };
}

function end(ending: Ending, input: object): unknown {
  switch (ending.kind) {
    case 'echo':
      // Members stand in the order they came, which no door promises.
      return Object.fromEntries(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)));
    case 'nothing':
      return undefined;
    case 'value':
      return ending.value;
    case 'reply':
      return reply(ending.status, ending.body);
    case 'throw':
      throw new HTTPError(ending.status, ending.message);
    case 'bug':
      throw new TypeError('SELECT * FROM secrets');
    case 'cycle': {
      const cycle: { self?: object } = {};
      cycle.self = cycle;
      return cycle;
    }
  }
}
