import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DeclarationError } from '@waymark/contract';
import { type CallSite, nearest } from '@waymark/contract/declaring';
import { ListenError } from '@waymark/http';
import { Failure } from '../output/failure.ts';
import { misspeltCall } from './misspelt-call.ts';
import { misspeltPackage } from './misspelt-package.ts';
import { ModuleError } from './module-error.ts';
import { oldNodeAdvice, oldNodeText } from './node-version.ts';
import { findUnparsed, placeAbove, type Specifier, shown, specifiersOf } from './source-place.ts';
import { thrownWhileLoaded } from './thrown-while-loaded.ts';

/** What node says when it cannot load a module. */
interface LoadError extends Error {
  readonly code?: string;
  /** Of what was not found. */
  readonly url?: string;
}

/** Makes an error out of what node says; undefined where it was something else after all. */
type Explain = (error: LoadError, entry: string) => ModuleError | undefined;

/**
 * Says what kept an application from being loaded with its place and its fix, if that was its code; else gives back what
 * it threw.
 *
 * @param entry the file of the application
 */
export async function explainImport(error: unknown, entry: string): Promise<unknown> {
  if (!(error instanceof Error) || saysItself(error)) return error;
  const { code } = error as LoadError;
  const known = code === undefined ? undefined : explanations[code]?.(error, entry);
  if (known) return known;
  const meant = error instanceof TypeError && misspeltCall(error);
  const unread = error instanceof SyntaxError && (await explainSyntax(error, entry));
  return meant || unread || thrownWhileLoaded(error, entry) || error;
}

/** Errors whose message is made for whoever runs the command. */
function saysItself(error: Error): boolean {
  return error instanceof Failure || error instanceof DeclarationError || error instanceof ListenError;
}

const explanations: Readonly<Record<string, Explain>> = {
  ERR_MODULE_NOT_FOUND: (error) => (error.url === undefined ? noPackage(error) : noFile(error)),
  MODULE_NOT_FOUND: noPackage,
  ERR_UNSUPPORTED_DIR_IMPORT: noFile,
  ERR_UNKNOWN_FILE_EXTENSION: noType,
  ERR_IMPORT_ATTRIBUTE_MISSING: noAttribute,
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX: (error) => notStripped(error),
  ERR_UNKNOWN_BUILTIN_MODULE: (error, entry) => {
    const [, name = ''] = /: (node:\S+)$/.exec(error.message) ?? [];
    return new ModuleError(`node has no module "${name}"`, undefined, placeOf(entry, name), error);
  },
};

function noPackage(error: LoadError): ModuleError | undefined {
  const [, name, importer] =
    /^Cannot find (?:package|module) '([^'./][^']*)'(?: imported from |\nRequire stack:\n- )([^\n]+)/.exec(
      error.message,
    ) ?? [];
  if (name === undefined || importer === undefined) return undefined;
  const [wanted = name] = /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [];
  const find = ({ text }: Specifier): boolean => text === wanted || text.startsWith(`${wanted}/`);
  const meant = misspeltPackage(wanted, toPath(importer));
  return new ModuleError(
    `there is no package "${wanted}"`,
    meant === undefined ? `npm install ${wanted}` : `write '${meant}', or npm install ${wanted}`,
    specifiersOf(toPath(importer)).find(find)?.at,
    error,
  );
}

function noFile(error: LoadError): ModuleError | undefined {
  const [, importer] = / imported from ([^\n]+)$/.exec(error.message) ?? [];
  if (importer === undefined || error.url === undefined) return undefined;
  const file = toPath(importer);
  const missing = fileURLToPath(error.url);
  const specifier = specifiersOf(file).find(
    ({ text }) => text.startsWith('.') && resolve(dirname(file), text) === missing,
  );
  const meant = fileFor(missing);
  const written = specifier && meant && `${specifier.text.slice(0, -basename(missing).length)}${meant}`;
  return new ModuleError(
    existsSync(missing) ? `${shown(missing)} is a folder` : `there is no file ${shown(missing)}`,
    written ? `write '${written}'` : 'name a file that is there, or write it',
    specifier?.at,
    error,
  );
}

const endings = ['.ts', '.js', '.mts', '.mjs', '/index.ts', '/index.js'];

/** The file that was probably meant, relative to the folder of the one that is not there. */
function fileFor(missing: string): string | undefined {
  const name = basename(missing);
  const folder = dirname(missing);
  // `./x` and `./x.js` are habits of compilers.
  const stems = [name, name.replace(/\.[cm]?js$/, '')];
  const found = stems.flatMap((stem) => endings.map((ending) => stem + ending));
  const there = found.find((one) => existsSync(resolve(folder, one)));
  if (there !== undefined || !existsSync(folder)) return there;
  // Without the ending, which all have in common.
  const files = new Map(
    readdirSync(folder).flatMap((file) => (source.test(file) ? [[file.replace(source, ''), file]] : [])),
  );
  return files.get(nearest(name.replace(source, ''), files.keys()) ?? '');
}

const source = /\.[cm]?[jt]s$/;

function noType(error: LoadError): ModuleError | undefined {
  const [, ending, file] = /^Unknown file extension "([^"]*)" for (.+)$/.exec(error.message) ?? [];
  if (ending === undefined || file === undefined) return undefined;
  const isTypeScript = /^\.[cm]?ts$/.test(ending);
  return new ModuleError(
    isTypeScript ? oldNodeText(file) : `${shown(file)} ends with "${ending}", which node does not run`,
    isTypeScript ? oldNodeAdvice(dirname(file)) : 'write a .ts or a .js file',
    undefined,
    error,
  );
}

/** Refuses the file of an application that node loads as something else: WebAssembly, an addon. @throws {ModuleError} */
export function refuseBinary(file: string): void {
  const [ending] = /\.(?:wasm|node)$/i.exec(file) ?? [];
  if (ending !== undefined) throw noApplication(file, ending.slice(1), undefined);
}

function noApplication(file: string, type: string, cause: unknown): ModuleError {
  const text = `${shown(resolve(file))} is ${type.toUpperCase()}, not the module of an application`;
  return new ModuleError(text, 'name the .ts or .js file that exports it', undefined, cause);
}

/** JSON, which node reads for those that say so. */
function noAttribute(error: LoadError, entry: string): ModuleError | undefined {
  const [, url, type] =
    /^Module "(file:[^"]+)" needs an import attribute of "type: (\w+)"/.exec(error.message) ?? [];
  if (url === undefined) return undefined;
  const file = fileURLToPath(url);
  if (file === resolve(entry)) return noApplication(file, type ?? 'data', error);
  return new ModuleError(
    `${shown(file)} is imported without its type`,
    `write with { type: '${type}' } behind it`,
    specifiersOf(resolve(entry)).find(({ text }) => resolve(dirname(entry), text) === file)?.at,
    error,
  );
}

/** What stripping types cannot do, by the words node has for it. */
const strippable: readonly (readonly [RegExp, string, string])[] = [
  [
    /\benum\b/,
    'enums need a compiler',
    "write a const object, or a union of texts: type Color = 'red' | 'blue'",
  ],
  [/\b(?:namespace|module)\b/, 'namespaces need a compiler', 'write a file of its own and export from it'],
  [
    /\bparameter property\b/,
    'parameter properties need a compiler',
    'declare the field and assign it in the constructor',
  ],
  [/\bimport equals\b/, 'import … = needs a compiler', "write import name from 'package'"],
  [/\bexport assignment\b/, 'export = needs a compiler', 'write export default'],
];

function notStripped(error: LoadError): ModuleError {
  const [, text, fix] = strippable.find(([words]) => words.test(error.message)) ?? [];
  return new ModuleError(text ?? error.message, fix, placeAbove(error.stack ?? ''), error);
}

async function explainSyntax(error: SyntaxError, entry: string): Promise<ModuleError | undefined> {
  const at = placeAbove(error.stack ?? '') ?? (await findUnparsed(entry));
  // Code that was read may throw such errors, too.
  if (!at) return undefined;
  const [, name] = /does not provide an export named '([^']+)'/.exec(error.message) ?? [];
  if (name !== undefined)
    return new ModuleError(error.message, `if it is a type, write: import type { ${name} }`, at, error);
  return characterAt(at) === '@'
    ? new ModuleError('decorators need a compiler', 'call the function instead', at, error)
    : new ModuleError(`the code cannot be read: ${error.message}`, undefined, at, error);
}

function characterAt({ file, line, column = 1 }: CallSite): string | undefined {
  return readFileSync(file, 'utf8').split('\n')[line - 1]?.[column - 1];
}

function placeOf(file: string, name: string): CallSite | undefined {
  return specifiersOf(file).find(({ text }) => text === name)?.at;
}

function toPath(name: string): string {
  return name.startsWith('file:') ? fileURLToPath(name) : name;
}
