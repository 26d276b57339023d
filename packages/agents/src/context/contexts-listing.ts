import { listing, type Route, Type } from '@waymark/contract';
import type { ContextProvider } from './context-provider.ts';

const Row = Type.Object(
  {
    name: Type.String(),
    kind: Type.Union(['sql', 'data', 'function'].map((kind) => Type.Literal(kind))),
    description: Type.String(),
    params: Type.Array(Type.String()),
    returns: Type.Union(['many', 'one'].map((form) => Type.Literal(form))),
    max_chars: Type.Integer(),
  },
  { additionalProperties: false },
);

/** Lists context providers in the names of the option table (decision 10.1); never what they say. */
export function contextsListing(contexts: readonly ContextProvider[]): Route {
  const rows = contexts.map(({ name, kind, description, params, returns, maxChars }) => ({
    ...{ name, kind, description, params, returns },
    max_chars: maxChars,
  }));
  return listing('contexts', () => rows, { summary: 'Lists the declared context providers.', row: Row });
}
