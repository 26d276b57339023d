import type { Components, Origin } from './components.ts';
import type { Content } from './document.ts';
import { exampleOf } from './example.ts';

/** JSON of a schema, with an example of it. */
export function toJsonContent(schema: object, components: Components, origin: Origin): Content {
  const example = exampleOf(schema, origin.root);
  return {
    'application/json': {
      schema: components.add(schema, origin),
      ...(example && { example: example.value }),
    },
  };
}
