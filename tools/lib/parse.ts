import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Comment, type ParseResult, parseSync, Visitor } from 'oxc-parser';

/** One module that a file names: by `import`, `export … from`, `import()`, `load()` of `createRequire` or a type `import('…')`. */
export interface ModuleRequest {
  readonly specifier: string;
  readonly line: number;
}

/** A parsed TypeScript file. */
export interface ParsedFile {
  readonly path: string;
  readonly text: string;
  readonly module: ParseResult['module'];
  readonly program: ParseResult['program'];
  readonly comments: readonly Comment[];
}

/** A statement at the top of a file. */
export type Statement = ParsedFile['program']['body'][number];

/** Where an exported name is declared; `file` is undefined when the name comes from a third-party library. */
export interface ExportedName {
  readonly name: string;
  readonly file: ParsedFile | undefined;
  readonly localName: string;
}

/** Parses `path`, which is relative to `root`. Throws on a syntax error. */
export function parseFile(root: string, path: string): ParsedFile {
  const text = readFileSync(join(root, path), 'utf8');
  const { module, program, comments, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  return { path, text, module, program, comments };
}

/** Line number, from 1, of an offset in a text. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Every module a file names, in no particular order. */
export function moduleRequests(file: ParsedFile): ModuleRequest[] {
  const found: { value: string; start: number }[] = [];
  const usesRequire = file.text.includes('load = createRequire(');
  for (const statement of file.module.staticImports) found.push(statement.moduleRequest);
  for (const statement of file.module.staticExports) {
    // `import { a } from 'x'; export { a }` is listed as an export of 'x' again: a map by offset drops the copy
    for (const { moduleRequest } of statement.entries) if (moduleRequest) found.push(moduleRequest);
  }
  new Visitor({
    ImportExpression({ source }) {
      if (source.type === 'Literal' && typeof source.value === 'string') {
        found.push({ value: source.value, start: source.start });
      }
    },
    // What is loaded late, by the name that all of our files give to what `createRequire` makes.
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'load' || !usesRequire) return;
      if (first?.type === 'Literal' && typeof first.value === 'string') {
        found.push({ value: first.value, start: first.start });
      }
    },
    TSImportType({ source }) {
      found.push({ value: source.value, start: source.start });
    },
  }).visit(file.program);
  const byOffset = new Map(found.map((request) => [request.start, request]));
  return [...byOffset.values()].map(({ value, start }) => ({
    specifier: value,
    line: lineAt(file.text, start),
  }));
}

/** The names a file exports, re-exports followed to their declarations; sorted, the default export as `default`. */
export function exportedNames(root: string, path: string): ExportedName[] {
  return [...resolveExports(root, path, new Map()).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Files already resolved, which also ends a circle of `export *`. */
type Resolved = Map<string, Map<string, ExportedName>>;

function resolveExports(root: string, path: string, resolved: Resolved): Map<string, ExportedName> {
  const known = resolved.get(path);
  if (known) return known;
  const names = new Map<string, ExportedName>();
  resolved.set(path, names);
  if (!existsSync(join(root, path))) return names;
  const file = parseFile(root, path);
  for (const entry of file.module.staticExports.flatMap((statement) => statement.entries)) {
    const specifier = entry.moduleRequest?.value;
    const target = specifier?.startsWith('.')
      ? resolveExports(root, join(dirname(path), specifier), resolved)
      : new Map<string, ExportedName>();
    const name = entry.exportName.name ?? 'default';
    if (entry.importName.kind === 'AllButDefault') {
      for (const [key, declared] of target) if (key !== 'default') names.set(key, declared);
    } else if (specifier === undefined || entry.importName.kind === 'All') {
      names.set(name, { name, file, localName: entry.localName.name ?? name });
    } else {
      const declared = target.get(entry.importName.name ?? 'default');
      names.set(name, { name, file: declared?.file, localName: declared?.localName ?? name });
    }
  }
  return names;
}
