import type { Dispatcher } from '@waymark/contract';
import { toCallResult } from './call-result.ts';
import { isRecord } from './envelope.ts';
import { badParams, type Method } from './methods.ts';
import type { Catalogue } from './tool-catalogue.ts';

/**
 * Calls a tool as the caller. Any known tool is dispatched, also a gated one or one beyond the caller's scopes: the
 * dispatcher refuses, so that the refusal is audited and worded in one place.
 */
export function toolsCall(options: {
  readonly catalogue: Catalogue;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
}): Method {
  const { catalogue, dispatcher } = options;
  return async (params, context) => {
    const { name, arguments: values = {} } = params;
    if (typeof name !== 'string') throw badParams('name must be a string');
    if (!isRecord(values)) throw badParams('arguments must be an object');
    const route = catalogue.tool(name);
    if (!route) throw badParams(`unknown tool "${name.slice(0, maxNameEcho)}"`);
    const { principal, requestId, clientAddress, signal, charge } = context;
    const response = await dispatcher.dispatch({
      route,
      input: { by: 'arguments', values },
      principal,
      via: 'mcp',
      requestId,
      ...(clientAddress !== undefined && { clientAddress }),
      ...(signal && { signal }),
      ...(charge && { charge }),
    });
    return toCallResult(response, {
      name,
      structure: catalogue.describe(route).structure,
      signal,
      onError: (cause) => context.onError?.(cause),
    });
  };
}

/** No tool has a longer name, so nobody misses the rest of one. */
const maxNameEcho = 64;
