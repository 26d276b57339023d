import type { Problem, Route, RouteTable } from '@waymark/contract';
import { answersOf } from '@waymark/contract/route';
import { eachSchema, type SchemaObject } from '@waymark/contract/schema';
import { Components } from './components.ts';

/**
 * Says what keeps the document of a table from being made, without making it, which takes most of the time of a start:
 * references that point to nothing.
 */
export function checkOpenApi(table: RouteTable): readonly Problem[] {
  const problems: Problem[] = [];
  const components = new Components();
  for (const route of described(table))
    for (const schema of schemasOf(route))
      if (holdsReference(schema))
        components.add(schema, {
          name: route.name,
          fault: (rule) => problems.push(toProblem(route, rule)),
        });
  return problems;
}

/** Routes that answer upgrades only have no operation. */
export function described(table: RouteTable): readonly Route[] {
  return [...table].filter(({ socket }) => !socket);
}

/** What the document could not say of a route. */
export function toProblem({ method, path, declaredAt }: Route, rule: string): Problem {
  return { declaration: `route ${method} ${path}`, rule, at: declaredAt };
}

/** Where references start; those of parameters start from the whole input. */
function schemasOf(route: Route): readonly object[] {
  const { takes, failsAs = [] } = route.facts;
  return [
    route.inputSchema,
    ...Object.values(answersOf(route)).flat(),
    ...failsAs,
    ...(takes ? [takes] : []),
  ];
}

function holdsReference(schema: object): boolean {
  let holds = false;
  eachSchema(schema as SchemaObject, ({ $ref, $dynamicRef }) => {
    holds ||= $ref !== undefined || $dynamicRef !== undefined;
  });
  return holds;
}
