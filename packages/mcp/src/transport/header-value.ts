const prefix = '=?base64?';
const suffix = '?=';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads a header value that mirrors a value of the body. What a header cannot hold is sent as `=?base64?…?=`; a value
 * that has only one end of that is meant literally.
 *
 * @returns undefined for bad base64 and for bytes that are no UTF-8: node would decode the former, with gaps
 */
export function readHeaderValue(value: string): string | undefined {
  if (!value.startsWith(prefix) || !value.endsWith(suffix)) return value;
  // The two ends share a `?`, so neither is whole.
  if (value.length < prefix.length + suffix.length) return value;
  const encoded = value.slice(prefix.length, -suffix.length);
  if (!base64.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}
