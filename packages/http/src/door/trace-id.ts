/** Version, trace id, parent id and flags; a later version may add to them (W3C Trace Context, 3.2). */
const traceparent = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/**
 * Reads the trace that a request belongs to off its `traceparent`, so that its line in the log is found by the trace.
 *
 * @returns 32 hexadecimal digits; undefined for a header that is none, which is ignored as the standard asks
 */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, parentId, more] = traceparent.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return isZero(traceId) || isZero(parentId) ? undefined : traceId;
}

/** All zeros stand for "none". */
function isZero(id = ''): boolean {
  return /^0*$/.test(id);
}
