import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { repositoryRoot } from './workspace.ts';

/** A file that pages are served from. */
export interface BundledFile {
  readonly name: string;
  readonly text: string;
}

/** The scripts of pages, and what is made of them. */
export interface ScriptSources {
  /** Where each script begins, by the name of what is made of it, relative to the root. */
  readonly entries: Readonly<Record<string, string>>;
  /** What stands at the top of each. */
  readonly said: string;
  readonly plugins?: readonly Plugin[];
}

/** Bundles scripts, and what several of them share as `shell.js`. @throws when a library is taken in, which has a licence */
export async function bundleScripts({ entries, said, plugins = [] }: ScriptSources): Promise<BundledFile[]> {
  const bundle = await rolldown({
    cwd: repositoryRoot,
    platform: 'browser',
    input: { ...entries },
    resolve: { conditionNames: ['@waymark/source', 'import', 'module', 'default'] },
    plugins: [...plugins],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    banner: `/* ${said} */`,
    entryFileNames: '[name].js',
    chunkFileNames: 'shell.js',
  });
  await bundle.close();
  const chunks = output.filter((one): one is OutputChunk => one.type === 'chunk');
  const foreign = chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => id.includes('/node_modules/')));
  if (foreign.length > 0) throw new Error(`pages take in what needs its licence: ${foreign.join(', ')}`);
  return chunks.map(({ fileName, code }) => ({ name: fileName, text: code }));
}

/** Styles without comments and indentation; what is left is for gzip. No text of ours in a style has spaces in a row. */
export function smallerCss(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replaceAll(';}', '}')
    .trim();
}

/**
 * Brings a folder up to what the sources give, and takes out what is no more; with `--check` it only says what is not
 * fresh, and the process ends with 1.
 *
 * @param folder relative to the root
 * @param command what makes it fresh
 */
export function bringUpPages(folder: string, files: readonly BundledFile[], command: string): void {
  const there = join(repositoryRoot, folder);
  const stale = [
    ...files.filter(
      ({ name, text }) => !existsSync(join(there, name)) || readFileSync(join(there, name), 'utf8') !== text,
    ),
    ...readdirSync(there).flatMap((name) =>
      files.some((one) => one.name === name) ? [] : [{ name, text: undefined }],
    ),
  ];
  if (process.argv.includes('--check')) {
    for (const { name } of stale)
      console.error(`${folder}/${name} is not what the sources give: run ${command}`);
    if (stale.length > 0) process.exitCode = 1;
    return;
  }
  for (const { name, text } of stale) {
    if (text === undefined) rmSync(join(there, name));
    else writeFileSync(join(there, name), text);
  }
}

/** The styles of a folder, one behind the other. @param folder relative to the root @param pattern of their names */
export function readStyles(folder: string, pattern: string): readonly string[] {
  const there = join(repositoryRoot, folder);
  return globSync(pattern, { cwd: there })
    .sort()
    .map((path) => readFileSync(join(there, path), 'utf8'));
}
