import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallSite } from '@waymark/contract/declaring';

/** Files that are looked at for one mistake. */
const maxFiles = 50;

/** For node to parse one file. */
const parseMs = 5000;

/** A specifier in the source of a module, and where it stands. */
export interface Specifier {
  readonly text: string;
  readonly at: CallSite;
}

/** Every quoted text after `from`, `import` or `require`, which is enough to find the one that failed. */
export function specifiersOf(file: string): readonly Specifier[] {
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const quoted = /\b(?:from|import|require)\b\s*\(?\s*(['"])([^'"\n]+)\1/g;
  return [...source.matchAll(quoted)].map((match) => {
    const [whole, , text = ''] = match;
    return { text, at: placeAt(file, source, match.index + whole.length - text.length - 2) };
  });
}

function placeAt(file: string, source: string, index: number): CallSite {
  const before = source.slice(0, index).split('\n');
  return { file: shown(file), line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** A path as call sites have it: relative to the working directory, where it lies below that. */
export function shown(file: string): string {
  const path = relative(process.cwd(), file);
  if (path === '') return '.';
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

/** The place in a file that a stack begins with. */
export function firstFrame(stack: string): CallSite | undefined {
  return framesOf(stack)[0];
}

/** The places in files that a stack has, the innermost first. */
export function framesOf(stack: string): readonly CallSite[] {
  const frames = /\n +at (?:.*\()?((?:file:|\/)[^()\n]*):(\d+):(\d+)\)?(?=\n|$)/g;
  return [...stack.matchAll(frames)].map(([, file = '', line, column]) => {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    return { file: shown(path), line: Number(line), column: Number(column) };
  });
}

/**
 * Reads the place that node puts above an error: the file and line, lines of source, and a mark under the last of them.
 * Line and columns are those of the file, since stripping types leaves blanks behind.
 */
export function placeAbove(text: string): CallSite | undefined {
  const [, name, line, lines] = above.exec(text) ?? [];
  if (name === undefined) return undefined;
  const file = name.startsWith('file:') ? fileURLToPath(name) : name;
  const marks = lines?.split('\n').at(-1);
  return { file: shown(file), line: Number(line), ...(marks && { column: marks.indexOf('^') + 1 }) };
}

/** There is no mark where the file ends too early. */
const above =
  /^(\S[^\n]*):(\d+)\n(?:((?:(?!\s*at )[^\n]*\n)*? *\^+)|(?:(?!\s*at )[^\n]*\n)*?\n+SyntaxError\b)/;

/**
 * Finds the file that cannot be parsed among those that an application imports by their paths. Node says where only to
 * those that it ends for.
 */
export async function findUnparsed(entry: string): Promise<CallSite | undefined> {
  const files = new Set([resolve(entry)]);
  for (const file of files) {
    const place = placeAbove(await parse(file)) ?? placeAbove(await parseStripped(file));
    if (place) return place;
    for (const { text } of specifiersOf(file)) {
      const path = resolve(dirname(file), text);
      if (text.startsWith('.') && files.size < maxFiles && /\.[cm]?[jt]s$/.test(path) && existsSync(path))
        files.add(path);
    }
  }
  return undefined;
}

/** @returns what node says against it; nothing is run */
function parse(file: string): Promise<string> {
  return new Promise((done) => {
    execFile(process.execPath, ['--check', file], { timeout: parseMs }, (_error, _out, said) => done(said));
  });
}

/** The same of a module without its types, which `--check` takes for good whatever it is. */
function parseStripped(file: string): Promise<string> {
  const flags = ['--no-warnings', '--experimental-vm-modules', '--input-type=commonjs'];
  return new Promise((done) => {
    execFile(
      process.execPath,
      [...flags, '-e', parseModule, file],
      { timeout: parseMs },
      (_error, _out, said) => done(said),
    );
  });
}

/** Where node has no `stripTypeScriptTypes`, it does not run TypeScript either. */
const parseModule = `
const file = process.argv[1];
const code = require('node:module').stripTypeScriptTypes(require('node:fs').readFileSync(file, 'utf8'));
new (require('node:vm').SourceTextModule)(code, { identifier: file });
`;
