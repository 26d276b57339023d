import { Visitor } from 'oxc-parser';
import { type ParsedFile, parseFile } from '../../lib/parse.ts';
import { readWorkspaces, sourceFiles } from '../../lib/workspace.ts';
import { type Page, toPage } from '../page.ts';

/** A failure that has a code, as a source throws it. */
interface CodedError {
  readonly code: string;
  readonly status: string;
  readonly message: string;
  readonly dir: string;
}

/** The codes of failures that callers and operators read, found where they are thrown. */
export function errorPage(root: string): Page {
  const paths = readWorkspaces(root)
    .filter(({ dir, manifest }) => !manifest.private && !/model-simulator|client|create-waymark/.test(dir))
    .flatMap(({ dir }) => sourceFiles(root, `${dir}/src`).map((path) => ({ path, dir })))
    .filter(({ path }) => !/\/testing\/|\/cli\//.test(path))
    .map(({ path, dir }) => ({ dir, file: parseFile(root, path) }));
  const shared = new Map(paths.flatMap(({ file }) => [...wordsOf(file, 'shared')]));
  const found = paths.flatMap(({ file, dir }) =>
    errorsOf(file, new Map([...shared, ...wordsOf(file, 'all')])).map((one) => ({ ...one, dir })),
  );
  const byCode = new Map<string, CodedError[]>();
  for (const one of found) byCode.set(one.code, [...(byCode.get(one.code) ?? []), one]);
  const rows = [...byCode]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, all]) => {
      const statuses = [...new Set(all.map(({ status }) => status))].filter(Boolean).join(', ');
      const messages = [...new Set(all.map(({ message }) => message))].filter(Boolean).join('; ');
      const dirs = [...new Set(all.map(({ dir }) => `[${dir}](../../${dir}/README.md)`))].join(', ');
      return `| \`${code}\` | ${statuses} | ${escaped(messages)} | ${dirs} |`;
    });
  return toPage({
    path: 'reference/errors',
    section: 'Reference',
    markdown: `# Error codes

A failed request is answered with a problem document (\`application/problem+json\`): \`status\`, \`title\`, \`detail\` in a sentence, \`request_id\`, and a \`code\` where programs have to tell failures of one status apart. A run that failed has the same code as its \`error.code\`. The codes of wrong declarations are [rules](rules.md), and are no part of an answer.

| code | status | what is said | package |
|---|---|---|---|
${rows.join('\n')}

Statuses without a code: 401 nobody is known, 403 a scope is missing, 404 there is no such thing, 405 another method, 413 a body or a frame is too large, 415 another type of body, 422 the input is wrong (\`errors\` says which: \`[{ path: '/title', message: 'must be string' }]\`, where \`path\` is a JSON pointer into the input and empty for all of it), 429 too often (\`Retry-After\`), 500 a fault of the application, 502 and 504 somebody it asked failed or was late, 503 it is starting, stopping or full.
`,
  });
}

/** Words of a file by what holds them, such as `refusedCode` for a constant and `.reason` for a member that is one of some. */
function wordsOf({ text }: ParsedFile, which: 'shared' | 'all'): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const constants = text.matchAll(
    which === 'all' ? /\bconst (\w+) = ([^;]*);/g : /export const (\w+) = ([^;]*);/g,
  );
  for (const [, name = '', value = ''] of constants) found.set(name, literalsOf(value));
  for (const [, name = '', value = ''] of text.matchAll(/readonly (\w+): ('\w+'(?: \| '\w+')+);/g))
    found.set(`.${name}`, [...(found.get(`.${name}`) ?? []), ...literalsOf(value)]);
  return found;
}

/** What an expression or a type may be: `'a'`, `b ? 'a' : 'c'` or `'a' | 'c'`. */
function literalsOf(source: string): readonly string[] {
  return [...source.matchAll(/(?:^|[?:|] )'([a-z]+(?:_[a-z]+)*)'/g)].map(([, word = '']) => word);
}

/** The failures of a file: whatever has a `code` that is a word, and says a message or a status beside it. */
function errorsOf(
  file: ParsedFile,
  words: ReadonlyMap<string, readonly string[]>,
): readonly Omit<CodedError, 'dir'>[] {
  const found: Omit<CodedError, 'dir'>[] = [];
  const seen = new Set<unknown>();
  const textOf = (node: unknown): string => {
    const { start, end } = (node ?? { start: 0, end: 0 }) as { start: number; end: number };
    return file.text.slice(start, end);
  };
  const add = (options: unknown, status: string, message: string): void => {
    const text = textOf(options);
    const [, literal] = /\bcode: '([a-z]+(?:_[a-z]+)*)'/.exec(text) ?? [];
    const [, name = ''] =
      /\bcode: (?:\w+(?=\.))?(\.?\w+)\b/.exec(text) ??
      (/\{[^:]*\bcode\b *[,}]/.test(text) ? ['', 'code'] : []);
    const [, own = ''] = /\bstatus: (\d+)/.exec(text) ?? [];
    seen.add(options);
    const said = /^\w+$/.test(message)
      ? madeBefore(file, (options as { readonly start?: number } | undefined)?.start ?? 0, message)
      : message;
    for (const code of literal === undefined ? (words.get(name) ?? []) : [literal])
      found.push({ code, status: /^\d+$/.test(status) ? status : own, message: toText(said) });
  };
  new Visitor({
    NewExpression({ callee, arguments: given }) {
      if (!/^(HTTPError|UselessAnswer)$/.test(textOf(callee))) return;
      const isPlain = textOf(callee) === 'UselessAnswer';
      const [status, message, options] = isPlain ? [undefined, given[0], given[1]] : given;
      add(options, textOf(status), textOf(message));
    },
    CallExpression({ callee, arguments: given }) {
      if (/^(super|problemResponse|problemText)$/.test(textOf(callee)))
        add(given[2], textOf(given[0]), textOf(given[1]));
    },
    ObjectExpression(node) {
      const text = textOf(node);
      if (seen.has(node) || !/\bcode\b/.test(text) || !/\b(message|detail|status)\b/.test(text)) return;
      const parts = node.properties.flatMap((part) => (part.type === 'Property' ? [part] : []));
      const said = parts.find(({ key }) => /^(message|detail)$/.test(textOf(key)));
      if (parts.some(({ key }) => textOf(key) === 'code')) add(node, '', textOf(said?.value));
    },
  }).visit(file.program);
  return found;
}

/** What the nearest constant of that name above a place holds. */
function madeBefore({ text }: ParsedFile, offset: number, name: string): string {
  const above = text.slice(0, offset).split(`const ${name} = `);
  return (above.length > 1 && /^(?:`[^`]*`|'[^']*')/.exec(above.at(-1) ?? '')?.[0]) || '';
}

/** What a caller reads: a literal, with a dots where something is put in. */
function toText(source: string): string {
  const [, quoted] = /(?:^|\|\| )['"`]([\s\S]*)['"`]$/.exec(source) ?? [];
  return (quoted ?? '').replaceAll(/\$\{[^}]*\}/g, '…').replaceAll("\\'", "'");
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
