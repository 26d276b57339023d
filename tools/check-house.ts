// Holds the sizes of the house: circles of imports, folders, functions, names of an entry, decisions by the kind of an engine.

import {
  type Measure,
  measureCircles,
  measureFolders,
  measureFunctions,
  measureKinds,
} from './lib/measure.ts';
import { exportedNames, type ParsedFile, parseFile } from './lib/parse.ts';
import {
  entryPoints,
  type Finding,
  readWorkspaces,
  report,
  repositoryRoot,
  sourceFiles,
  type Workspace,
} from './lib/workspace.ts';

/** The most there may be. */
const limits = { circle: 0, folder: 25, function: 90, kind: 0, names: 60, namesToDeclare: 45 } as const;

/** As large as the table it is made from. */
const generated = 'packages/client';

/** Who shows kinds, and decides what to show by them. */
const listings: readonly string[] = ['packages/control-plane/src/', 'packages/openapi/src/tags.ts'];

/** What is over its limit, and by how much: a number may only shrink, and a row goes when it holds. */
const over: Readonly<Record<string, number>> = {
  // Types alone: a route has its engine, an engine is given the table.
  'circle packages/contract': 17,
};

/** What is above its limit; and rows of what may be that say more than there is. */
export function checkHouse(root: string, allowed: Readonly<Record<string, number>> = over): Finding[] {
  const found = measureHouse(root)
    .filter((measure) => measure.value > limitOf(measure))
    // Of two functions of one name the longer one counts.
    .sort((a, b) => a.value - b.value);
  const bySubject = new Map(found.map((measure) => [`${measure.rule} ${measure.subject}`, measure]));
  const above = [...bySubject].flatMap(([key, measure]) => {
    const { file, line, value, of } = measure;
    const most = allowed[key] ?? limitOf(measure);
    return value > most ? [{ file, line, message: `${value} ${of} (${most} at most)` }] : [];
  });
  const loose = Object.entries(allowed).flatMap(([key, most]) => {
    const value = bySubject.get(key)?.value;
    if (value !== undefined && value >= most) return [];
    const so = value === undefined ? 'remove its row' : `write ${value}`;
    return [
      { file: 'tools/check-house.ts', line: 1, message: `"${key}" may be ${most}, and is less: ${so}` },
    ];
  });
  return [...above, ...loose].sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** All numbers, those within their limits as well. */
export function measureHouse(root: string): Measure[] {
  const own = readWorkspaces(root).filter(({ dir }) => dir !== generated);
  return own.flatMap((workspace) => {
    const paths = sourceFiles(root, `${workspace.dir}/src`);
    const files = paths.map((path) => parseFile(root, path));
    return [
      ...measureCircles(root, workspace.dir, files),
      ...measureFolders(paths),
      ...files.flatMap(measureFunctions),
      ...files.filter(({ path }) => !listings.some((one) => path.startsWith(one))).flatMap(measureKinds),
      ...measureNames(root, workspace, files),
    ];
  });
}

function measureNames(root: string, workspace: Workspace, files: readonly ParsedFile[]): Measure[] {
  if (files.length === 0) return [];
  return [...entryPoints(workspace)].map(([entry, file]) => {
    const value = exportedNames(root, file).length;
    return { rule: 'names', subject: entry, value, file, line: 1, of: `names at ${entry}` };
  });
}

function limitOf({ rule, subject }: Measure): number {
  // Whoever declares routes reads all of these.
  return rule === 'names' && subject === '@waymark/contract' ? limits.namesToDeclare : limits[rule];
}

/** One line for each package: names of its entries, its largest folder, its longest function, files in circles. */
function printTable(root: string): void {
  const measures = measureHouse(root);
  console.log(['package', 'names', 'folder', 'function', 'circles', 'kinds'].map(toCell).join(''));
  for (const { dir, manifest } of readWorkspaces(root)) {
    const own = measures.filter(({ file }) => file.startsWith(`${dir}/`));
    if (own.length === 0) continue;
    const of = (rule: Measure['rule']): number[] =>
      own.filter((measure) => measure.rule === rule).map(({ value }) => value);
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
    const cells = [
      manifest.name.replace('@waymark/', ''),
      of('names').join(' '),
      Math.max(0, ...of('folder')),
      Math.max(0, ...of('function')),
      sum(of('circle')),
      sum(of('kind')),
    ];
    console.log(cells.map(toCell).join(''));
  }
}

function toCell(value: string | number, column: number): string {
  return column < 2 ? String(value).padEnd(20) : String(value).padStart(10);
}

if (import.meta.main) {
  if (process.argv.includes('--table')) printTable(repositoryRoot);
  report('house', checkHouse(repositoryRoot));
}
