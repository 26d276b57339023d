// Writes what a published package runs: one file for each of its entries, and one for what several of them share, with
// source maps into `src`. Starts in the folder of the package, behind the compiler, which writes the declarations. A
// program starts in half the time: node finds and links some fifty files of ours in place of nine hundred.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { entryPoints, type Manifest, readJson } from './lib/workspace.ts';

/**
 * Taken in: the half of all modules, loaded by everything. No library that listens to the network or checks a
 * credential: whoever has those gets their corrections from npm, without us.
 */
const inlined = ['typebox'];

/** Not taken in: `Format.Set` of an application has to reach the registry that our validators read. */
const shared: Plugin = {
  name: 'shared-registry',
  resolveId: {
    filter: { id: /\/format\/index\.mjs$/ },
    handler: (source, importer) =>
      importer?.includes('/typebox/') && source.startsWith('.')
        ? { id: 'typebox/format', external: true }
        : null,
  },
};

const dir = process.cwd();
const manifest = readJson<Manifest>(join(dir, 'package.json'));
const entries = [...entryPoints({ dir: '', manifest }).values()];
const libraries = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

const bundle = await rolldown({
  cwd: dir,
  platform: 'node',
  input: Object.fromEntries(
    entries.map((entry) => [relative('src', entry).replace(/\.ts$/, ''), resolve(entry)]),
  ),
  external: (id) =>
    id === 'typebox/format' || libraries.some((name) => !inlined.includes(name) && isOf(name, id)),
  plugins: [shared],
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(log.message);
  },
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'shared/[name].js',
});
await bundle.close();
// What nobody writes any more.
const written = new Set(output.map(({ fileName }) => join('dist', fileName)));
for (const file of globSync('dist/**/*.js{,.map}')) if (!written.has(file)) rmSync(file);

const notices = inlined.flatMap((name) => {
  const folder = folderOf(name);
  return folder === undefined ? [] : [`${name}\n\n${licenceIn(folder)}`];
});
// The licence of what is taken in goes where that goes.
if (notices.length > 0) writeFileSync('dist/LICENSES.txt', notices.join('\n\n'));

/** Whether an import names a library, or something in it. */
function isOf(library: string, id: string): boolean {
  return id === library || id.startsWith(`${library}/`);
}

/** Where a library lies of which something was taken in. */
function folderOf(library: string): string | undefined {
  const inside = `/node_modules/${library}/`;
  for (const chunk of output) {
    const id = chunk.type === 'chunk' ? chunk.moduleIds.find((one) => one.includes(inside)) : undefined;
    if (id !== undefined) return id.slice(0, id.indexOf(inside) + inside.length);
  }
  return undefined;
}

function licenceIn(folder: string): string {
  const [name] = globSync('{license,LICENSE,licence,LICENCE}{,.md,.txt}', { cwd: folder });
  if (name === undefined) throw new Error(`${folder} has no licence that could go along`);
  return readFileSync(join(folder, name), 'utf8');
}
