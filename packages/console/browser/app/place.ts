/** A place in the console, as the fragment of the address says it: `#/runs/01J…?status=failed`. */
export interface Place {
  /** The first part: which page. Empty for the first one. */
  readonly page: string;
  /** What is behind it. */
  readonly rest: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Reads a fragment; what is no place is the first page. */
export function parsePlace(fragment: string): Place {
  const [path = '', search = ''] = fragment.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path.split('/').map(decode);
  return {
    page,
    rest: rest.filter((part) => part !== ''),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** Writes a fragment. Members of the query without a value are left out. */
export function toFragment(
  page: string,
  rest: readonly string[] = [],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const path = [page, ...rest].map(encodeURIComponent).join('/');
  const given = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  );
  return `#/${path}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
