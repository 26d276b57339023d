import type { Route } from '@waymark/contract';
import type { OpenApiDocument } from './document.ts';

/** The control plane, or the first literal segment of the path. */
export function tagOf({ plane, path }: Route): string {
  if (plane === 'control') return control;
  return path.split('/').find((segment) => segment !== '' && !segment.startsWith('{')) ?? root;
}

/** The tags of routes, in the order in which they come first, with what is below each. */
export function toTags(routes: readonly Route[]): OpenApiDocument['tags'] {
  return [...new Set(routes.map(tagOf))].map((name) => {
    const own = routes.filter((route) => tagOf(route) === name);
    return { name, description: describe(name, own) };
  });
}

const control = 'control';
const root = 'root';

function describe(name: string, routes: readonly Route[]): string {
  const planes = new Set(routes.map(({ plane }) => plane));
  const below = name === root ? 'What lies at the root of the paths' : `What lies below \`/${name}\``;
  if (!planes.has('data')) return 'The control plane: what there is, what runs, what waits, what was spent.';
  const kinds = [...new Set(routes.map(({ engine }) => engine.kind))];
  return `${below}: ${routes.length} ${routes.length === 1 ? 'operation' : 'operations'} (${kinds.join(', ')}).`;
}
