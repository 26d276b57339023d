import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Visitor } from 'oxc-parser';
import { type ParsedFile, parseFile } from './parse.ts';

/** A program that breaks a rule, as somebody would have written it. */
export interface MistakeExample {
  readonly example: string;
  /** Files besides the program, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A piece of the fixture that reads differently outside of the tests. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Where the fixtures stand, relative to the root. */
export const mistakesFolder = 'apps/server/test/fixtures/mistakes';

/**
 * Reads the program out of a fixture: what its `make` does, without what serves the tests alone.
 *
 * @throws {Error} something of the tests is left in it
 */
export function mistakeExample(root: string, code: string): MistakeExample {
  const file = parseFile(root, `${mistakesFolder}/${code}.ts`);
  const edits = editsOf(file);
  const imports: string[] = [];
  const before: string[] = [];
  let templates: string | undefined;
  const [, migrations] = /\bmigrations: '\.\.\/(migrations\/\w+)'/.exec(file.text) ?? [];
  for (const statement of file.program.body) {
    const text = textOf(file, statement, edits);
    const [, folder] = /^const templates = join\(import\.meta\.dirname, '\.\.\/(.+)'\)/.exec(text) ?? [];
    if (folder !== undefined) templates = folder;
    else if (/^export const mistake\b/.test(text)) before.push(bodyOf(file, edits));
    else if (!text.startsWith('import ')) before.push(text);
    else if (!/'(\.\.\/mistake\.ts|node:path)'/.test(text)) imports.push(text);
  }
  const example = `${imports.join('\n')}\n\n${before.join('\n\n')}\n`;
  const left = /\b(base|untyped|fileWith|mistake|import\.meta)\b/.exec(example);
  if (left) throw new Error(`${file.path}: "${left[0]}" is left in its example`);
  const files = {
    ...(templates === undefined || templates.endsWith('good') ? {} : readFiles(root, templates, 'templates')),
    ...(migrations !== undefined && readFiles(root, migrations, 'migrations')),
  };
  return { example, ...(Object.keys(files).length > 0 && { files }) };
}

function editsOf(file: ParsedFile): readonly Edit[] {
  const edits: Edit[] = [];
  const { text } = file;
  new Visitor({
    CallExpression({ callee, arguments: given, start, end }) {
      const [first, second] = given;
      if (callee.type !== 'Identifier' || !first) return;
      const argument = text.slice(first.start, first.end);
      if (callee.name === 'untyped') edits.push({ start, end, text: argument });
      // Somebody else has made the table: it stands in the comment.
      if (callee.name === 'fileWith')
        edits.push({ start, end, text: `'sqlite://app.db'${argument === "''" ? '' : ` /* ${argument} */`}` });
      if (second?.type === 'Identifier' && second.name === 'base')
        edits.push({ start: first.end, end: second.end, text: '' });
    },
    ObjectExpression({ properties }) {
      const [first, second] = properties;
      if (first?.type === 'SpreadElement' && second && text.slice(first.start, first.end) === '...base')
        edits.push({ start: first.start, end: second.start, text: '' });
      // They lie beside the program, where they are found.
      for (const [i, { start, end }] of properties.entries())
        if (text.slice(start, end).startsWith("migrations: '../"))
          edits.push({ start: properties[i - 1]?.end ?? start, end, text: '' });
    },
    Property({ shorthand, key, start, end }) {
      if (shorthand && text.slice(key.start, key.end) === 'templates')
        edits.push({ start, end, text: "templates: 'templates'" });
    },
  }).visit(file.program);
  return edits;
}

/** The text of a node, with the edits inside it; an edit within another one is part of that. */
function textOf(
  { text }: ParsedFile,
  { start, end }: { readonly start: number; readonly end: number },
  edits: readonly Edit[],
): string {
  let at = start;
  let out = '';
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < at || edit.end > end) continue;
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return out + text.slice(at, end);
}

/** What `make` does, without the last line that gives the application to the test. */
function bodyOf(file: ParsedFile, edits: readonly Edit[]): string {
  let body: string | undefined;
  new Visitor({
    Property({ key, value }) {
      if (file.text.slice(key.start, key.end) !== 'make' || value.type !== 'FunctionExpression') return;
      const block = value.body;
      if (block) body = textOf(file, { start: block.start + 1, end: block.end - 1 }, edits);
    },
  }).visit(file.program);
  if (body === undefined) throw new Error(`${file.path}: has no method "make"`);
  return body
    .replace(/^\s*\n/, '')
    .replaceAll(/^ {4}/gm, '')
    .replace(/\nreturn app;\s*$/, '\n')
    .replace(/(^|\n)return /, '$1')
    .trimEnd();
}

function readFiles(root: string, folder: string, shown: string): Readonly<Record<string, string>> {
  const path = join(root, mistakesFolder, '..', folder);
  if (!existsSync(path)) return {};
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    files
      .map((one) => join(one.parentPath, one.name))
      .toSorted()
      .map((file) => [`${shown}/${relative(path, file)}`, shortened(readFileSync(file, 'utf8'))]),
  );
}

/** A file that is wrong by its size is not shown whole. */
const maxShown = 2_000;

function shortened(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, 200)}… (${text.length} characters)\n`;
}
