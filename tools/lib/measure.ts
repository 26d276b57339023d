import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Visitor } from 'oxc-parser';
import { findCircles } from './circles.ts';
import { lineAt, moduleRequests, type ParsedFile } from './parse.ts';

/** One number of the house, at a place a reader can open. */
export interface Measure {
  readonly rule: 'circle' | 'folder' | 'function' | 'kind' | 'names';
  /** What was measured; does not change with the lines around it. */
  readonly subject: string;
  readonly value: number;
  readonly file: string;
  readonly line: number;
  /** What there is so much of. */
  readonly of: string;
}

/** A node of the program, as far as it is read here; oxc-parser has a type for each kind of them. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: unknown;
  readonly object?: Node;
  readonly property?: Node;
  /** Of a chain with `?.`. */
  readonly expression?: Node | boolean;
  /** Of an object, and of a pattern that takes one apart. */
  readonly properties?: readonly object[];
}

/** Files of one package that import each other, types included. */
export function measureCircles(root: string, dir: string, files: readonly ParsedFile[]): Measure[] {
  const requests = new Map(files.map((file) => [file.path, relativeRequests(root, file)]));
  const imports = new Map([...requests].map(([path, found]) => [path, found.map(({ target }) => target)]));
  const circles = findCircles(imports);
  const [file, next] = circles[0]?.way ?? [];
  if (file === undefined) return [];
  const value = circles.reduce((sum, circle) => sum + circle.files.length, 0);
  const line = requests.get(file)?.find(({ target }) => target === next)?.line ?? 1;
  const ways = circles.map(({ way }) => way.map((path) => basename(path)).join(' → '));
  return [
    { rule: 'circle', subject: dir, value, file, line, of: `files import each other: ${ways.join('; ')}` },
  ];
}

/** Files of each folder, those of folders below it not counted. */
export function measureFolders(paths: readonly string[]): Measure[] {
  const folders = new Set(paths.map((path) => dirname(path)));
  return [...folders].map((folder) => {
    const own = paths.filter((path) => dirname(path) === folder);
    const [file = ''] = own;
    const of = `files in the folder ${folder}`;
    return { rule: 'folder', subject: folder, value: own.length, file, line: 1, of };
  });
}

/** Lines of each function, from its first to its last. */
export function measureFunctions({ path, text, program }: ParsedFile): Measure[] {
  const found: Measure[] = [];
  const names = new Map<number, string>();
  const name = (node: Node | null | undefined, key: Node): void => {
    if (node && typeof key.name === 'string') names.set(node.start, key.name);
  };
  const measure = (node: Node): void => {
    const line = lineAt(text, node.start);
    const value = lineAt(text, node.end) - line + 1;
    const called = names.get(node.start) ?? 'a function';
    found.push({
      rule: 'function',
      subject: `${path} ${called}`,
      value,
      file: path,
      line,
      of: `lines in ${called}`,
    });
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => name(init, id),
    Property: ({ key, value }) => name(value, key),
    MethodDefinition: ({ key, value }) => name(value, key),
    PropertyDefinition: ({ key, value }) => name(value, key),
    FunctionDeclaration(node) {
      if (node.id) name(node, node.id);
      measure(node);
    },
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program);
  return found;
}

/**
 * Decisions by the kind of a route's engine: compared, switched on, looked up, or taken out of it under a name. Facts on the
 * route say what others have to know of it; the kind is a word that is shown.
 */
export function measureKinds({ path, text, program }: ParsedFile): Measure[] {
  const at: number[] = [];
  const look = (...nodes: readonly (Node | null | undefined)[]): void => {
    for (const node of nodes) if (node && isKind(node)) at.push(node.start);
  };
  new Visitor({
    BinaryExpression: ({ left, right }) => look(left, right),
    SwitchStatement: ({ discriminant }) => look(discriminant),
    MemberExpression: ({ computed, property }) => computed && look(property),
    CallExpression: ({ callee, arguments: given }) =>
      callee.type === 'MemberExpression' && isLookup(callee.property) && look(...given),
    VariableDeclarator({ id, init }) {
      if (init && isEngine(init) && takesKind(id)) at.push(id.start);
    },
    Property({ key, value }) {
      if (isNamed(key, 'engine') && takesKind(value)) at.push(value.start);
    },
  }).visit(program);
  const [first] = at;
  if (first === undefined) return [];
  const line = lineAt(text, first);
  const of = 'decisions by `engine.kind`: put a fact on the route';
  return [{ rule: 'kind', subject: path, value: at.length, file: path, line, of }];
}

function relativeRequests(
  root: string,
  file: ParsedFile,
): { readonly target: string; readonly line: number }[] {
  return moduleRequests(file)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, line }) => ({ target: join(dirname(file.path), specifier), line }))
    .filter(({ target }) => existsSync(join(root, target)));
}

/** `engine.kind`, `route.engine.kind`, `route?.engine.kind`. */
function isKind(node: Node): boolean {
  const { property, object } = typeof node.expression === 'object' ? node.expression : node;
  return isNamed(property, 'kind') && object !== undefined && isEngine(object);
}

function isEngine(node: Node): boolean {
  return isNamed(node, 'engine') || isNamed(node.property, 'engine');
}

/** `{ kind }` of an object pattern. */
function takesKind({ type, properties = [] }: Node): boolean {
  return type === 'ObjectPattern' && properties.some((one) => 'key' in one && isNamed(one.key, 'kind'));
}

function isLookup(node: Node): boolean {
  return isNamed(node, 'includes') || isNamed(node, 'has');
}

function isNamed(node: unknown, name: string): boolean {
  return typeof node === 'object' && node !== null && 'name' in node && node.name === name;
}
