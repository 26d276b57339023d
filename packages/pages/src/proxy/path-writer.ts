import { HTTPError, type Values } from '@waymark/contract';
import { parsePath, type Segment } from '@waymark/contract/route';

/** How a path spells the segments of a template: by the name of a parameter, or the number of literal text. */
export type Spelling = ReadonlyMap<string, string>;

/** A path taken apart. */
export interface ReadPath {
  /** The values with which the path would have been written. */
  readonly values: Values;
  readonly spelling: Spelling;
}

/** Writes the paths of one template, and reads what it has written. */
export interface PathWriter {
  /**
   * What is percent-encoded and what is not means something to servers (RFC 3986, 2.2): a value that came in a path is
   * written as it stood there, unless it was made another one on the way.
   *
   * @throws {HTTPError} 422 for a value that is no segment
   */
  write(values: Values, spelling?: Spelling): string;
  /** Undefined for the path of another template. */
  read(path: string): ReadPath | undefined;
}

/** The paths of one proxy. */
export interface PathPair {
  /** At ours. */
  readonly here: PathWriter;
  /** At the upstream. */
  readonly there: PathWriter;
}

/** Makes the paths of a proxy, of templates that parse. */
export function toPathPair(path: string, rewrite: string): PathPair {
  return { here: toPathWriter(path), there: toPathWriter(rewrite) };
}

const unspelt: Spelling = new Map();

/** Makes a writer for a template that parses. */
export function toPathWriter(template: string): PathWriter {
  const parsed = parsePath(template);
  const parts = (parsed.ok ? parsed.segments : []).map(toPart);
  return {
    write(values, spelling = unspelt) {
      let path = '';
      for (const part of parts) path += `/${part.write(values, spelling.get(part.key))}`;
      return path === '' ? '/' : path;
    },
    read(path) {
      const values: Record<string, unknown> = {};
      const spelling = new Map<string, string>();
      let rest = path === '/' && parts.length === 0 ? '' : path;
      for (const { kind, key, text } of parts) {
        const taken = kind === 'rest' ? rest : (/^\/[^/]*/.exec(rest)?.[0] ?? '');
        const value = taken === '' ? undefined : decode(taken.slice(1));
        if (
          kind === 'literal' ? value !== text : value === undefined || (kind === 'parameter' && value === '')
        )
          return undefined;
        if (kind !== 'literal') values[key] = value;
        spelling.set(key, taken.slice(1));
        rest = rest.slice(taken.length);
      }
      return rest === '' ? { values, spelling } : undefined;
    },
  };
}

interface Part {
  readonly kind: Segment['kind'];
  /** What a spelling calls it. No parameter has the name of a number. */
  readonly key: string;
  /** Of a literal. */
  readonly text?: string;
  /** @param spelt how it stood where it comes from */
  write(values: Values, spelt: string | undefined): string;
}

function toPart(segment: Segment, index: number): Part {
  if (segment.kind === 'literal') {
    const { kind, text } = segment;
    const encoded = encodeURI(wellFormed(text));
    return {
      ...{ kind, key: String(index), text },
      write: (_, spelt) => (spelt !== undefined && decode(spelt) === text ? toLegal(spelt) : encoded),
    };
  }
  const { kind, name } = segment;
  return {
    ...{ kind, key: name },
    write(values, spelt) {
      const text = wellFormed(String(values[name] ?? ''));
      if (!isSafe(text) || (kind === 'parameter' && text === '')) throw noSegment(name);
      if (spelt === undefined || decode(spelt) !== text)
        return kind === 'parameter'
          ? encodeURIComponent(text)
          : text.split('/').map(encodeURIComponent).join('/');
      if (kind === 'rest') return toLegal(spelt);
      // Servers that know parameters of segments find nothing before them, and leave an empty segment out.
      if (spelt.startsWith(';')) throw noSegment(name);
      return toLegal(spelt.replaceAll('/', '%2F'));
    },
  };
}

/** Encodes what stands in no URL, although clients send it: a backslash would be a slash to whoever parses it. */
function toLegal(spelt: string): string {
  return spelt.replace(/[^\w\-.~!$&'()*+,;=:@[\]%/]/gu, encodeURIComponent);
}

/**
 * A segment `..` cannot be encoded: whoever decodes it before splitting climbs out of the path, and `%2e%2e` is the same
 * to every URL parser. So dot segments are refused between slashes of any kind, and in values that are encoded again and
 * again, since servers in a row decode more than once. Some of them take `..;x` for `..` with a parameter.
 */
const dotSegment = new RegExp(
  `(?:^|${spelt('/')}|${spelt('\\')})(?:${spelt('.')}){1,2}(?:${spelt('/')}|${spelt('\\')}|${spelt(';')}|$)`,
  'i',
);

/** A character, as it is or percent-encoded any number of times. */
function spelt(character: string): string {
  return `\\${character}|%(?:25)*${character.charCodeAt(0).toString(16)}`;
}

function isSafe(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return !dotSegment.test(text) && !/[\x00-\x1f\x7f]/.test(text);
}

function noSegment(name: string): HTTPError {
  const error = { path: `/${name}`, message: 'cannot be part of a path' };
  return new HTTPError(422, `${error.path} ${error.message}`, { errors: [error] });
}

/** Half a surrogate pair has no percent-encoding. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
