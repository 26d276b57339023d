import type { Engine, EngineContext } from '../engine/engine.ts';
import type { Awaitable, Values } from '../engine/json.ts';
import type { Route } from './route.ts';
import { type EngineRouteOptions, toRoute } from './to-route.ts';

/** How a listing describes itself. */
export interface ListingOptions {
  readonly summary?: string;
  /** The schema of one row; the OpenAPI document and the client show it. */
  readonly row?: object;
}

/**
 * Declares a listing of the control plane: `GET {control_prefix}/<name>` answers `{ <name>: rows }`. The package that
 * owns the facts contributes it (decision 10.1).
 */
export function listing(
  name: string,
  rows: (context: EngineContext) => Awaitable<readonly Values[]>,
  { summary = `Lists ${name}.`, row }: ListingOptions = {},
): Route {
  const engine: Engine = { kind: 'control', answer: async (context) => ({ [name]: await rows(context) }) };
  const options: EngineRouteOptions = {
    plane: 'control',
    summary,
    ...(row && { output: wrapped(name, row) }),
    facts: { client: `${name}.list` },
  };
  return toRoute('GET', `/${name}`, engine, options, listing);
}

function wrapped(name: string, row: object): object {
  return {
    type: 'object',
    properties: { [name]: { type: 'array', items: row } },
    required: [name],
    additionalProperties: false,
  };
}
