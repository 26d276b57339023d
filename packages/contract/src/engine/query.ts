import { HTTPError } from './http-error.ts';

/** A decoded query, in the order sent. */
export type Query = readonly (readonly [name: string, value: string])[];

const noQuery: Query = Object.freeze([]);

/**
 * All of a query.
 *
 * @throws {HTTPError} 400 for percent-encoding that is none
 */
export function parseQuery(search: string): Query {
  if (search === '') return noQuery;
  const pairs: [string, string][] = [];
  readQuery(
    search,
    () => true,
    (name, value) => pairs.push([name, value]),
  );
  return pairs;
}

/**
 * Decodes a query once; `+` is a space. One of 16 KB may have 4,000 names: each is looked at once, and of those that
 * nobody wants nothing is kept, or a door without a limit would make 300 KB of garbage for whoever asks.
 *
 * @param search as sent, without its `?`
 * @param wants asked about each decoded name in turn; may throw
 * @param take is given each that is wanted; may throw. Default: nothing is done with them
 * @throws {HTTPError} 400 for percent-encoding that is none, wanted or not
 */
export function readQuery(
  search: string,
  wants: (name: string) => boolean,
  take: (name: string, value: string) => void = () => {},
): void {
  const read = search.includes('%') || search.includes('+') ? decode : asIs;
  let equals = -1;
  for (let start = 0; start < search.length; ) {
    const and = search.indexOf('&', start);
    const end = and === -1 ? search.length : and;
    // The next one, of this piece or a later one: it is looked for once.
    if (equals < start) {
      const next = search.indexOf('=', start);
      equals = next === -1 ? search.length : next;
    }
    if (end > start) {
      const nameEnd = Math.min(equals, end);
      const name = read(search.slice(start, nameEnd));
      // Of a piece without `=` this is empty.
      const value = search.slice(nameEnd + 1, end);
      if (wants(name)) take(name, read(value));
      else if (read === decode) decode(value);
    }
    start = end + 1;
  }
}

function asIs(text: string): string {
  return text;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new HTTPError(400, 'the query is not valid percent-encoding', { cause });
  }
}
