import { inputTitleOf, titleOf } from '../declaring/check-schema.ts';
import type { Problem } from '../declaring/declaration-error.ts';
import { nearest } from '../declaring/nearest.ts';
import { type Fault, type RuleBook, toProblems } from '../declaring/rule-book.ts';
import { eachSchema, pointerOf } from '../schema/each-schema.ts';
import { knownFormats } from '../schema/keyword-forms.ts';
import type { SchemaObject } from '../schema/references.ts';
import { patternOddities, patternRules } from './check-patterns.ts';
import { isSlip } from './is-slip.ts';
import { isUndeclared } from './parameters.ts';
import { placeOf } from './place.ts';
import type { Route } from './route.ts';

/** What is odd about a route, though it can be served. */
export const oddityRules = {
  ...patternRules,
  'format-unknown': 'A format that looks like one that is checked is one.',
  'hints-contradict': 'A route that destroys something does not only read.',
  'tool-undescribed': 'A tool says in words what it does.',
  'parameter-near': 'A parameter that looks like one of the path is that one.',
} as const satisfies RuleBook;

type Oddity = Fault<keyof typeof oddityRules>;

/** Finds what is odd about routes: warnings, each at the place of its declaration. */
export function checkRoutes(routes: Iterable<Route>): readonly Problem[] {
  return [...routes]
    .filter(({ plane }) => plane === 'data')
    .flatMap((route) => toProblems(`route ${route.method} ${route.path}`, route.declaredAt, oddities(route)));
}

function oddities(route: Route): readonly Oddity[] {
  const { method, path, inputSchema, output, readOnly, destructive, tool, summary, facts } = route;
  return [
    ...inSchema(inputSchema, inputTitleOf, true),
    ...Object.entries(output).flatMap(([status, schema]) =>
      inSchema(schema, titleOf(`output ${status}`), false),
    ),
    ...(readOnly && destructive
      ? [odd('hints-contradict', 'is said to be readOnly and destructive', 'take one of the two hints out')]
      : []),
    ...(tool && summary === `${method} ${path}`
      ? [
          odd(
            'tool-undescribed',
            `is a tool, and all that a model reads of it is "${summary}"`,
            facts.describedBy ?? 'write a summary',
          ),
        ]
      : []),
    ...besidePath(route),
  ];
}

/** Who misspells a name of the path has two parameters: one in the query or body, and one that nobody declared. */
function besidePath({ path, parameters }: Route): readonly Oddity[] {
  const inPath = parameters.filter(isUndeclared).map(({ name }) => name);
  return parameters
    .filter(({ schema }) => placeOf(schema) === undefined)
    .flatMap(({ name, place }) => {
      const close = place === 'path' ? undefined : inPath.find((one) => isSlip(name, one));
      if (close === undefined) return [];
      return [
        meant(
          'parameter-near',
          `input "${name}" travels in the ${place}, and "${path}" has {${close}}`,
          close,
        ),
      ];
    });
}

/** @param reads whether values are checked against it, which takes time */
function inSchema(schema: object, toTitle: (at: string) => string, reads: boolean): readonly Oddity[] {
  const found: Oddity[] = [];
  eachSchema(schema as SchemaObject, (node, path) => {
    const title = (): string => toTitle(pointerOf(path));
    found.push(...(reads ? patternOddities(node, title) : []), ...misspelt(node, title));
  });
  return found;
}

/** A validator passes over what it does not know. */
function misspelt({ format }: SchemaObject, title: () => string): readonly Oddity[] {
  if (typeof format !== 'string' || knownFormats.some((known) => known === format)) return [];
  const close = nearest(format, knownFormats);
  if (close === undefined) return [];
  const rule = `${title()}: nobody checks the format "${format}"`;
  return [meant('format-unknown', rule, close)];
}

function odd(code: Oddity['code'], rule: string, fix: string): Oddity {
  return { code, severity: 'warning', rule, fix };
}

function meant(code: Oddity['code'], rule: string, close: string): Oddity {
  return { code, severity: 'warning', rule, nearest: close };
}
