import type { Problem, Route, RouteTable } from '@waymark/contract';
import { eachSchema, resolveReference, type SchemaObject } from '@waymark/contract/schema';

/**
 * Says what keeps the document of a table from being made, without making it, which takes most of the time of a start:
 * references that point to nothing. Those of inputs and outputs are looked at where a route is declared; facts are not.
 */
export function checkOpenApi(table: RouteTable): readonly Problem[] {
  return described(table).flatMap((route) =>
    factSchemas(route).flatMap((schema) =>
      lostReferences(schema).map((reference) =>
        toProblem(route, `the reference "${reference}" points to nothing in the schema`),
      ),
    ),
  );
}

/** Routes that answer upgrades only have no operation. */
export function described(table: RouteTable): readonly Route[] {
  return [...table].filter(({ socket }) => !socket);
}

/** What the document could not say of a route. */
export function toProblem({ method, path, declaredAt }: Route, rule: string): Problem {
  return { declaration: `route ${method} ${path}`, rule, at: declaredAt };
}

function factSchemas({ facts: { takes, answers = {}, failsAs = [] } }: Route): readonly object[] {
  return [...(takes ? [takes] : []), ...Object.values(answers).flat(), ...failsAs];
}

function lostReferences(schema: object): readonly string[] {
  const lost: string[] = [];
  eachSchema(schema as SchemaObject, ({ $ref, $dynamicRef }, _, scope) => {
    for (const reference of [$ref, $dynamicRef])
      if (reference !== undefined && !resolveReference(String(reference), scope))
        lost.push(String(reference));
  });
  return lost;
}
