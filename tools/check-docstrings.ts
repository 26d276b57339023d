// Every name a package exports has a docstring at its declaration, and its first sentence ends with a period.
import { exportedNames, lineAt, type ParsedFile, type Statement } from './lib/parse.ts';
import { entryPoints, type Finding, readWorkspaces, report, repositoryRoot } from './lib/workspace.ts';

/** Names exported without a docstring, or with one whose first paragraph holds no finished sentence. */
export function checkDocstrings(root: string): Finding[] {
  const findings = new Map<string, Finding>();
  for (const workspace of readWorkspaces(root)) {
    for (const path of entryPoints(workspace).values()) {
      for (const { name, file, localName } of exportedNames(root, path)) {
        const finding = file && judge(file, localName);
        if (finding)
          findings.set(`${finding.file}:${localName}`, { ...finding, message: `${name} ${finding.message}` });
      }
    }
  }
  return [...findings.values()];
}

function judge(file: ParsedFile, localName: string): Finding | undefined {
  const starts = declarationStarts(file, localName);
  const texts = starts.map((start) => docstringBefore(file, start)).filter((text) => text !== undefined);
  if (texts.some(hasSentence)) return undefined;
  const message =
    texts.length > 0 ? 'has a docstring whose first sentence does not end with a period' : 'has no docstring';
  return { file: file.path, line: lineAt(file.text, starts[0] ?? 0), message };
}

/** Offsets of the statements that declare a name: several for overloads, or for a schema and its type. */
function declarationStarts(file: ParsedFile, localName: string): number[] {
  return file.program.body
    .filter((statement) => declaredNames(statement).includes(localName))
    .map((statement) => statement.start);
}

function declaredNames(statement: Statement): string[] {
  switch (statement.type) {
    case 'ExportDefaultDeclaration':
      return ['default', ...('id' in statement.declaration ? nameOf(statement.declaration.id) : [])];
    case 'ExportNamedDeclaration':
      return statement.declaration ? declaredNames(statement.declaration) : [];
    case 'ExportAllDeclaration':
      return nameOf(statement.exported);
    case 'VariableDeclaration':
      return statement.declarations.flatMap(({ id }) => nameOf(id));
    default:
      return 'id' in statement ? nameOf(statement.id) : [];
  }
}

function nameOf(node: { readonly type: string; readonly name?: unknown } | null | undefined): string[] {
  return node?.type === 'Identifier' && typeof node.name === 'string' ? [node.name] : [];
}

/** The text of the last comment before an offset when that is a docstring, without its stars. */
function docstringBefore(file: ParsedFile, start: number): string | undefined {
  const comment = file.comments.findLast(
    ({ end }) => end <= start && file.text.slice(end, start).trim() === '',
  );
  if (comment?.type !== 'Block' || !comment.value.startsWith('*')) return undefined;
  return comment.value.replaceAll(/^\s*\*+ ?/gm, '').trim();
}

function hasSentence(docstring: string): boolean {
  const [paragraph = ''] = docstring.split(/\n\s*\n|\n@/, 1);
  return /[^.\s]\.(?=\s|$)/.test(paragraph.replaceAll(/\b(e\.g|i\.e)\./g, ''));
}

if (import.meta.main) report('docstrings', checkDocstrings(repositoryRoot));
