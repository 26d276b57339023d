import { defineRoute, type Route } from '@waymark/contract';
import type { Feature, Kind } from '@waymark/contract/declaring';
import { type Method, routeRules } from '@waymark/contract/route';
import { staticRoute, staticRules } from '@waymark/core-routes';

/** The words of handler routes and of constant answers. */
export const routesFeature = {
  name: 'routes',
  kinds: [
    shorthand('get'),
    shorthand('post'),
    shorthand('put'),
    shorthand('patch'),
    shorthand('delete'),
    {
      method: 'route',
      declare: defineRoute,
      options: 2,
      title: (method, path) => `route ${method} ${path}`,
      arrange: ([method, path, ...rest]) => [method, path, ...inOrder(rest)],
    },
    {
      method: 'static',
      declare: staticRoute,
      options: 3,
      title: (method, path) => `route ${method} ${path}`,
    },
  ],
  rules: { ...routeRules, ...staticRules },
  plugin: (routes) => ({ name: 'routes', routes }),
} as const satisfies Feature<Route>;

/** A handler route of one method, whose options may be left out. */
function shorthand<const M extends Lowercase<Method>>(method: M): Kind<Route> & { readonly method: M } {
  const word = method.toUpperCase() as Method;
  return {
    method,
    declare: (path: string, options: object, handler: () => unknown) =>
      defineRoute(word, path, options, handler),
    options: 1,
    title: (path) => `route ${word} ${path}`,
    arrange: ([path, ...rest]) => [path, ...inOrder(rest.length === 1 ? [{}, ...rest] : rest)],
  };
}

/** A function in the place of the options is the handler, and the route says that it comes last. */
function inOrder([options, handler]: readonly unknown[]): readonly unknown[] {
  return [typeof options === 'function' ? {} : options, handler];
}
