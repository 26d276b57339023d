import type { ApiDocument } from './api-document.ts';
import { asList, asMembers } from './json.ts';

const mostDepth = 6;

/** A value that a schema takes, as far as that can be told: what it gives as an example or by default, else the simplest. */
export function exampleOf(schema: unknown, { resolve }: Pick<ApiDocument, 'resolve'>): unknown {
  const visit = (given: unknown, depth: number): unknown => {
    const value = resolve(given);
    if ('const' in value) return value['const'];
    const [shown] = [...asList(value['examples']), ...('example' in value ? [value['example']] : [])];
    if (shown !== undefined) return shown;
    if ('default' in value) return value['default'];
    const [choice] = asList(value['enum']);
    if (choice !== undefined) return choice;
    const [option] = [...asList(value['anyOf']), ...asList(value['oneOf'])];
    if (option !== undefined) return visit(option, depth + 1);
    return ofType(value, (inner) => (depth >= mostDepth ? null : visit(inner, depth + 1)));
  };
  return visit(schema, 0);
}

function ofType(value: Readonly<Record<string, unknown>>, inner: (schema: unknown) => unknown): unknown {
  const [type] = [value['type']].flat();
  if (type === 'object' || 'properties' in value) {
    const required = asList(value['required']);
    return Object.fromEntries(
      Object.entries(asMembers(value['properties']))
        .filter(([name]) => required.includes(name))
        .map(([name, one]) => [name, inner(one)]),
    );
  }
  if (type === 'array') return value['items'] === undefined ? [] : [inner(value['items'])];
  if (type === 'integer' || type === 'number')
    return typeof value['minimum'] === 'number' ? Math.max(1, value['minimum']) : 1;
  if (type === 'boolean') return true;
  return type === 'string' ? 'text' : null;
}
