import { type Route, type RouteTable, toRoute } from '@waymark/contract';
import { type EngineContext, jsonResponse, type RouteResponse } from '@waymark/contract/engine';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** Serves the OpenAPI document, built and serialised once for each table. */
export function openapiRoute(options: ControlPlaneOptions): Route {
  const built = new WeakMap<RouteTable, RouteResponse>();
  const answer = ({ table }: EngineContext): RouteResponse => {
    const known = built.get(table);
    if (known) return known;
    const response = jsonResponse(options.document(table));
    built.set(table, response);
    return response;
  };
  return toRoute(
    'GET',
    '/openapi.json',
    { kind: 'control', answer },
    {
      plane: 'control',
      summary: 'Describes every route as OpenAPI 3.1.',
      output: { type: 'object', properties: { openapi: { type: 'string' } }, required: ['openapi'] },
      facts: { client: false },
    },
  );
}
