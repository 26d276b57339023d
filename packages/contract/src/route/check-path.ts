import type { Fault, RuleBook } from '../declaring/rule-book.ts';
import { parsePath } from './path-template.ts';

/** What holds for path templates. */
export const pathRules = {
  'path-form': 'A path is a text that begins with "/".',
  'path-character': 'A path holds no query, fragment, space, backslash or percent sign.',
  'path-segment': 'A segment is text or one whole "{name}"; none is empty but the last, none is "." or "..".',
  'path-parameter-twice': 'A path names each parameter once.',
  'path-rest-last': 'A parameter that takes the rest of the path is its last segment.',
} as const satisfies RuleBook;

type PathFault = Fault<keyof typeof pathRules>;

/** Finds everything wrong with a path template, and writes it as it was probably meant. */
export function checkPath(path: unknown): readonly PathFault[] {
  if (typeof path !== 'string')
    return [{ code: 'path-form', rule: 'the path is not a text', fix: "write '/tickets/{id}'" }];
  if (parsePath(path).ok && !foreign.test(path)) return [];
  const meant = repaired(path);
  // A repair that is none helps nobody.
  const fix = parsePath(meant).ok ? `write "${meant}"` : undefined;
  return faultsOf(path).map((fault) => ({ ...fault, fix: fix ?? fault.fix }));
}

/** `[id]` and `<id>` are parameters elsewhere; here they would be text that no browser sends. */
const foreign = /\/(?:\[[^/]*\]|<[^/]*>)(?=\/|$)/;

type Advised = PathFault & { readonly fix: string };

function faultsOf(path: string): readonly Advised[] {
  const parts = path.replace(/^\//, '').split('/');
  const names = parts.flatMap((part) => /^\{(\w+)\*?\}$/.exec(part)?.[1] ?? []);
  const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  return [
    ...(path.startsWith('/')
      ? []
      : [fault('path-form', `path "${path}" does not start with "/"`, 'begin with "/"')]),
    ...(/[?#\s\\%]/.test(path)
      ? [
          fault(
            'path-character',
            `path "${path}" holds a character that no path can match`,
            'leave it out; queries are parameters, and other characters match as they are',
          ),
        ]
      : []),
    ...parts.flatMap((part, i) => segmentFaults(part, i === parts.length - 1, path)),
    ...[...twice].map((name) =>
      fault('path-parameter-twice', `parameter {${name}} stands twice in "${path}"`, 'rename one of them'),
    ),
  ];
}

function segmentFaults(part: string, last: boolean, path: string): readonly Advised[] {
  if (part === '')
    return last ? [] : [fault('path-segment', `path "${path}" holds an empty segment`, 'take one "/" out')];
  if (part === '.' || part === '..')
    return [fault('path-segment', `path "${path}" holds a "${part}" segment`, 'take it out')];
  const [, name, rest] = /^\{([A-Za-z_]\w*)(\*)?\}$/.exec(part) ?? [];
  if (name === '__proto__')
    return [fault('path-segment', 'no parameter can be named __proto__', 'choose another name')];
  if (name === undefined && (/[{}:*]/.test(part) || foreign.test(`/${part}`)))
    return [
      fault(
        'path-segment',
        `segment "${part}" is neither literal text nor "{name}"`,
        'let the parameter be the whole segment, and take it apart in the handler',
      ),
    ];
  return rest !== undefined && !last
    ? [
        fault(
          'path-rest-last',
          `{${name}*} is not the last segment`,
          `write {${name}}, or move it to the end`,
        ),
      ]
    : [];
}

function fault(code: PathFault['code'], rule: string, fix: string): Advised {
  return { code, rule, fix };
}

/** The habits of other frameworks, in our form. */
function repaired(path: string): string {
  return `/${path}`
    .replace(/[?#].*$/, '')
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/\/:(\w+)\*?(?=\/|$)/g, '/{$1}')
    .replace(/\/[<[](?:int:|\.\.\.)?(\w+)[>\]](?=\/|$)/g, '/{$1}')
    .replace(/\/\{(\w+):[^}]*\}(?=\/|$)/g, '/{$1}')
    .replace(/\/\*(\w*)$/, (_, name: string) => `/{${name || 'rest'}*}`)
    .replace(/\/\{(\w+)\*\}(?=\/.)/g, '/{$1}')
    .trim();
}
