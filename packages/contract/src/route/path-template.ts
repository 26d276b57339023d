/** One segment of a path template: literal text, `{name}`, or `{name*}`, which takes the rest of the path. */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter' | 'rest'; readonly name: string };

const parameterPattern = /^\{([A-Za-z_][A-Za-z0-9_]*)(\*)?\}$/;

/** A path template taken apart, or the reason why it is none. */
export type ParsedPath =
  | { readonly ok: true; readonly segments: readonly Segment[] }
  | { readonly ok: false; readonly rule: string };

/**
 * Reads a path template: `/tickets/{id}/files/{path*}`. A parameter is a whole segment; `{name*}` comes last.
 * Paths are case-sensitive, slashes strict (decision 2.5).
 */
export function parsePath(path: string): ParsedPath {
  if (!path.startsWith('/')) return { ok: false, rule: `path "${path}" does not start with "/"` };
  if (/[?#\s\\%]/.test(path))
    return { ok: false, rule: `path "${path}" holds a character that no path can match` };
  if (path === '/') return { ok: true, segments: [] };
  const segments: Segment[] = [];
  const names = new Set<string>();
  const parts = path.slice(1).split('/');
  for (const [i, part] of parts.entries()) {
    if (part === '.' || part === '..') return { ok: false, rule: `path "${path}" holds a "${part}" segment` };
    if (part === '' && i < parts.length - 1)
      return { ok: false, rule: `path "${path}" holds an empty segment` };
    const [, name, rest] = parameterPattern.exec(part) ?? [];
    if (name === undefined) {
      if (/[{}:*]/.test(part))
        return { ok: false, rule: `segment "${part}" is neither literal text nor "{name}"` };
      segments.push({ kind: 'literal', text: part });
      continue;
    }
    if (name === '__proto__') return { ok: false, rule: 'no parameter can be named __proto__' };
    if (names.has(name)) return { ok: false, rule: `parameter {${name}} stands twice in "${path}"` };
    if (rest !== undefined && i < parts.length - 1)
      return { ok: false, rule: `{${name}*} is not the last segment` };
    names.add(name);
    segments.push({ kind: rest === undefined ? 'parameter' : 'rest', name });
  }
  return { ok: true, segments };
}

/** The parameter names of a template, in order; none for a template that does not parse. */
export function pathNames(path: string): readonly string[] {
  const parsed = parsePath(path);
  return parsed.ok
    ? parsed.segments.flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name]))
    : [];
}

/** The shape in which two templates collide: parameter names do not count. */
export function pathShape(path: string): string {
  return path.replace(/\{[^}*]*\}/g, '{}').replace(/\{[^}]*\*\}/g, '{*}');
}
