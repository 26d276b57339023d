import type { Values } from '@waymark/contract';
import { isRecord, type RpcRequest } from './envelope.ts';

/** Where a request says which revision it follows. Its presence makes a request one of 2026-07-28. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Where a request says what its client can do. */
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** The `_meta` of a request; undefined where it has none, or something else in its place. */
export function metaOf({ params }: Pick<RpcRequest, 'params'>): Values | undefined {
  const meta = params?.['_meta'];
  return isRecord(meta) ? meta : undefined;
}

/** Where a call belongs in somebody's trace (W3C Trace Context), as log lines name it. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The longest state of a trace that is passed on, in characters (W3C Trace Context, 3.3.1.5). */
const maxStateLength = 512;

/** The trace of a request; undefined where it names none, or none in the proper form. */
export function traceOf(request: Pick<RpcRequest, 'params'>): Trace | undefined {
  const { traceparent, tracestate } = metaOf(request) ?? {};
  if (typeof traceparent !== 'string' || !/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(traceparent))
    return undefined;
  const isState = typeof tracestate === 'string' && tracestate.length <= maxStateLength;
  return { traceparent, ...(isState && { tracestate }) };
}
