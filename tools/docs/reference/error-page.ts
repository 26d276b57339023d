import { Visitor } from 'oxc-parser';
import { parseFile } from '../../lib/parse.ts';
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
  const found = readWorkspaces(root)
    .filter(({ dir, manifest }) => !manifest.private && !/model-simulator|client|create-waymark/.test(dir))
    .flatMap(({ dir }) =>
      sourceFiles(root, `${dir}/src`).flatMap((path) =>
        /\/testing\/|\/cli\//.test(path) ? [] : errorsOf(root, path, dir),
      ),
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

Statuses without a code: 401 nobody is known, 403 a scope is missing, 404 there is no such thing, 405 another method, 413 a body or a frame is too large, 415 another type of body, 422 the input is wrong (\`errors\` says which), 429 too often (\`Retry-After\`), 500 a fault of the application, 502 and 504 somebody it asked failed or was late, 503 it is starting, stopping or full.
`,
  });
}

function errorsOf(root: string, path: string, dir: string): readonly CodedError[] {
  const file = parseFile(root, path);
  const found: CodedError[] = [];
  const add = (options: unknown, status: string, message: string): void => {
    const text = textOf(options);
    const [, code] = /\bcode: '([a-z]+(?:_[a-z]+)*)'/.exec(text) ?? [];
    if (code === undefined) return;
    const [, own = ''] = /\bstatus: (\d+)/.exec(text) ?? [];
    found.push({ code, status: /^\d+$/.test(status) ? status : own, message: toText(message), dir });
  };
  const textOf = (node: unknown): string => {
    const { start, end } = (node ?? { start: 0, end: 0 }) as { start: number; end: number };
    return file.text.slice(start, end);
  };
  new Visitor({
    NewExpression({ callee, arguments: given }) {
      if (!/^(HTTPError|UselessAnswer)$/.test(textOf(callee))) return;
      const isPlain = textOf(callee) === 'UselessAnswer';
      const [status, message, options] = isPlain ? [undefined, given[0], given[1]] : given;
      add(options, textOf(status), textOf(message));
    },
    CallExpression({ callee, arguments: given }) {
      if (textOf(callee) === 'super') add(given[2], textOf(given[0]), textOf(given[1]));
      if (/\.fail$/.test(textOf(callee))) for (const one of given) add(one, '', '');
    },
    ReturnStatement({ argument }) {
      if (argument?.type === 'ObjectExpression' && /\bmessage\b/.test(textOf(argument)))
        add(argument, '', '');
    },
  }).visit(file.program);
  return found;
}

/** What a caller reads: a literal, with a dots where something is put in. */
function toText(source: string): string {
  const [, quoted] = /^['"`]([\s\S]*)['"`]$/.exec(source) ?? [];
  return (quoted ?? '').replaceAll(/\$\{[^}]*\}/g, '…').replaceAll("\\'", "'");
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
