import { HTTPError, type Values } from '@waymark/contract';
import { parsePath, type Segment } from '@waymark/contract/route';

/** Writes the paths of one template, and reads what it has written. */
export interface PathWriter {
  /** @throws {HTTPError} 422 for a value that is no segment */
  write(values: Values): string;
  /** The values with which the path would have been written; undefined for another path. */
  read(path: string): Values | undefined;
}

/** Makes a writer for a template that parses. */
export function toPathWriter(template: string): PathWriter {
  const parsed = parsePath(template);
  const parts = (parsed.ok ? parsed.segments : []).map(toPart);
  return {
    write(values) {
      let path = '';
      for (const part of parts) path += part.kind === 'literal' ? part.text : `/${part.write(values)}`;
      return path === '' ? '/' : path;
    },
    read(path) {
      const values: Record<string, unknown> = {};
      let rest = path === '/' && parts.length === 0 ? '' : path;
      for (const part of parts) {
        const taken = part.kind === 'rest' ? rest : (/^\/[^/]*/.exec(rest)?.[0] ?? '');
        if (part.kind === 'literal' ? taken !== part.text : taken.length < (part.kind === 'rest' ? 1 : 2))
          return undefined;
        if (part.kind !== 'literal') {
          const value = decode(taken.slice(1));
          if (value === undefined) return undefined;
          values[part.name] = value;
        }
        rest = rest.slice(taken.length);
      }
      return rest === '' ? values : undefined;
    },
  };
}

type Part =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter' | 'rest'; readonly name: string; write(values: Values): string };

function toPart(segment: Segment): Part {
  if (segment.kind === 'literal') return { kind: 'literal', text: `/${encodeURI(wellFormed(segment.text))}` };
  const { kind, name } = segment;
  return {
    kind,
    name,
    write: (values) => {
      const text = wellFormed(String(values[name] ?? ''));
      if (!isSafe(text) || (kind === 'parameter' && text === '')) throw noSegment(name);
      return kind === 'parameter'
        ? encodeURIComponent(text)
        : text.split('/').map(encodeURIComponent).join('/');
    },
  };
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
