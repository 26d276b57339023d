import { type Route, type RouteTable, toRoute } from '@waymark/contract';
import { type EngineContext, jsonResponse, type RouteResponse } from '@waymark/contract/engine';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** Serves the OpenAPI document, built and serialised once for each table. */
export function openapiRoute(options: ControlPlaneOptions): Route {
  const built = new WeakMap<RouteTable, Promise<RouteResponse>>();
  // Those who ask while it is built wait for the same one; after one that failed it is built anew.
  const answer = ({ table }: EngineContext): Promise<RouteResponse> => {
    const known = built.get(table);
    if (known) return known;
    const building = build(options, table);
    built.set(table, building);
    building.catch(() => built.delete(table));
    return building;
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

async function build(options: ControlPlaneOptions, table: RouteTable): Promise<RouteResponse> {
  return jsonResponse(await options.document(table));
}
