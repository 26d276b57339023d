/**
 * The value of a cookie in a `Cookie` header; undefined where it is not there. Of two of one name nobody can say which is
 * ours, since other hosts of a site may set some: they are one that is worth nothing.
 */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined;
  const values = header.split(';').flatMap((pair) => valueIn(pair, name) ?? []);
  return values.length > 1 ? '' : values[0];
}

/** A `Cookie` header without the cookies of these names; undefined where none is left. */
export function withoutCookies(header: string, names: readonly string[]): string | undefined {
  const rest = header
    .split(';')
    .filter((pair) => names.every((name) => valueIn(pair, name) === undefined))
    .map((pair) => pair.trim());
  return rest.length === 0 ? undefined : rest.join('; ');
}

function valueIn(pair: string, name: string): string | undefined {
  const equals = pair.indexOf('=');
  return equals !== -1 && pair.slice(0, equals).trim() === name ? pair.slice(equals + 1).trim() : undefined;
}
