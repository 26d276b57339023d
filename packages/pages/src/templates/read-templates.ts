import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Problem } from '@waymark/contract';
import { isError, toProblems } from '@waymark/contract/declaring';
import { checkCalls } from './check-calls.ts';
import { checkPartials, inlineNames } from './check-partials.ts';
import { createCompiler, type Render } from './compile-template.ts';
import { findRawOutput } from './find-raw-output.ts';
import { findTemplates, type TemplateFile, templateEndings } from './find-templates.ts';
import { guardOutput, type Partials } from './guard-output.ts';
import { parseTemplate } from './parse-template.ts';
import type { TemplateFault } from './template-fault.ts';

/** The templates of a directory, ready to be shown. */
export interface Templates {
  /** As pages name them, without partials: `board.hbs`. */
  readonly names: readonly string[];
  /** What is wrong with them, at its line. */
  readonly problems: readonly Problem[];
  /** @returns undefined for a name that is none; `board` is `board.hbs` or else `board.html` */
  find(name: string): Render | undefined;
}

/** Templates of one directory. */
const maxTemplates = 1_000;

const partialFolder = 'partials/';

/**
 * Reads, checks and compiles every template below a directory.
 *
 * @throws {Error} as the file system does, when the directory cannot be read
 */
export function readTemplates(directory: string): Templates {
  const files = findTemplates(directory);
  if (files.length > maxTemplates) return tooMany(directory, files.length);
  const read = files.map((file) => ({ file, ...readTemplate(file) }));
  const inline = new Set(read.flatMap(({ tree }) => (tree ? inlineNames(tree) : [])));
  const partials = new Set([
    ...read.filter(({ file }) => isPartial(file)).map(({ file }) => partialName(file)),
    ...inline,
  ]);
  // Copies: what is put into a tree is put in once.
  const partialFiles = new Map(
    read.flatMap(({ file, tree }) =>
      tree && isPartial(file) && !inline.has(partialName(file))
        ? [[partialName(file), structuredClone(tree)] as const]
        : [],
    ),
  );
  const known: Partials = { files: partialFiles, alike: new Map() };
  const problems = read.flatMap(({ file, tree, faults }) =>
    toTemplateProblems(
      file,
      tree ? [...faults, ...checkPartials(tree, partials), ...guardOutput(tree, known)] : faults,
    ),
  );
  const renders = new Map<string, Render>();
  const compiler = createCompiler();
  // What has a mistake may not compile, and is not served anyway.
  if (!problems.some(isError))
    for (const { file, tree } of read) {
      if (!tree) continue;
      if (isPartial(file)) compiler.partial(partialName(file), tree, file.path);
      else renders.set(file.name, compiler.compile(tree, file.path));
    }
  return {
    names: files.filter((file) => !isPartial(file)).map(({ name }) => name),
    problems,
    find: (name) =>
      renders.get(name) ?? templateEndings.map((ending) => renders.get(name + ending)).find(Boolean),
  };
}

interface ReadTemplate {
  readonly tree: hbs.AST.Program | undefined;
  readonly faults: readonly TemplateFault[];
}

function readTemplate({ path }: TemplateFile): ReadTemplate {
  const parsed = parseTemplate(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  if (!parsed.ok) return { tree: undefined, faults: [parsed.fault] };
  const { tree } = parsed;
  const faults = checkCalls(tree);
  // What goes deeper than that is walked no more.
  if (faults.some(({ code }) => code === 'template-size')) return { tree: undefined, faults };
  return { tree, faults: [...faults, ...findRawOutput(tree)] };
}

function isPartial({ name }: TemplateFile): boolean {
  return name.startsWith(partialFolder);
}

/** Below `partials`, without its ending: `nav/top`. */
function partialName({ name }: TemplateFile): string {
  return name.slice(partialFolder.length).replace(/\.\w+$/, '');
}

function toTemplateProblems(
  { name, path }: TemplateFile,
  faults: readonly TemplateFault[],
): readonly Problem[] {
  const shown = relative(process.cwd(), path);
  return faults.flatMap(({ line, ...fault }) =>
    toProblems(`template "${name}"`, `${shown.startsWith('..') ? path : shown}:${line}`, [fault]),
  );
}

function tooMany(directory: string, count: number): Templates {
  const fault = {
    code: 'template-size',
    rule: `it holds ${count} templates, more than ${maxTemplates}`,
    fix: 'name the directory that holds templates alone',
  };
  return {
    names: [],
    problems: toProblems(`templates "${directory}"`, undefined, [fault]),
    find: () => undefined,
  };
}
