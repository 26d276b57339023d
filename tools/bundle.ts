// Writes what a published package runs: one file for each of its entries, and one for what several of them share, with
// source maps into `src`. Starts in the folder of the package, behind the compiler, which writes the declarations. A
// program starts in a quarter of the time: node finds and links some ninety files in place of sixteen hundred.
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { readLicences } from './lib/read-licences.ts';
import { entryPoints, type Manifest, readJson } from './lib/workspace.ts';

/** Taken in although whoever installs the package gets it, too: its types are part of ours, and it is half of all modules. */
const alsoInstalled = ['typebox'];

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

/** The folder in `dist` of libraries that are loaded late. */
const libraryFolder = 'libraries';
const mark = 'late-library:';

const dir = process.cwd();
const manifest = readJson<Manifest>(join(dir, 'package.json'));
const entries = [...entryPoints({ dir: '', manifest }).values()];
// What a manifest names as a dependency stays outside; what only development needs is taken in.
const outside = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
  (name) => !alsoInstalled.includes(name),
);
const isOutside = (id: string): boolean =>
  id === 'typebox/format' || outside.some((name) => id === name || id.startsWith(`${name}/`));

/** Libraries that are taken in and that a source names as `load('name')`, to have them when they are first needed. */
const late = new Set<string>();

/** Leads each `load('name')` of a library that is taken in to the file that it becomes. */
const lateLibraries: Plugin = {
  name: 'late-libraries',
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: /\bload = createRequire\(/ },
    handler: (code) => ({
      code: code.replace(/\bload\('([^'.][^']*)'\)/g, (call, name: string) => {
        if (isOutside(name)) return call;
        late.add(name);
        return `load('${mark}${name}')`;
      }),
      // Nothing has moved but for the rest of a line.
      map: null,
    }),
  },
  renderChunk(code, { fileName }) {
    if (!code.includes(mark)) return null;
    const led = code.replace(new RegExp(`${mark}([^'"]+)`, 'g'), (_, name: string) => {
      const path = posix.relative(posix.dirname(fileName), `${libraryFolder}/${toFileName(name)}.cjs`);
      return path.startsWith('.') ? path : `./${path}`;
    });
    return { code: led, map: null };
  },
};

const chunks = [
  ...(await write(
    Object.fromEntries(
      entries.map((entry) => [relative('src', entry).replace(/\.ts$/, ''), resolve(entry)] as const),
    ),
    { format: 'esm', sourcemap: true, entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' },
  )),
];
if (late.size > 0) {
  const inputs = Object.fromEntries([...late].map((name) => [toFileName(name), name] as const));
  const names = {
    entryFileNames: `${libraryFolder}/[name].cjs`,
    chunkFileNames: `${libraryFolder}/[name].cjs`,
  };
  chunks.push(...(await write(inputs, { format: 'cjs', sourcemap: false, ...names })));
}

// What nobody writes any more.
const written = new Set(
  chunks.flatMap(({ fileName }) => [join('dist', fileName), join('dist', `${fileName}.map`)]),
);
for (const file of globSync('dist/**/*.{js,cjs}{,.map}')) if (!written.has(file)) rmSync(file);

// The licence of what is taken in goes where that goes.
const licences = readLicences(chunks.flatMap(({ moduleIds }) => moduleIds));
if (licences === '') rmSync('dist/LICENSES.txt', { force: true });
else writeFileSync('dist/LICENSES.txt', licences);

/** What of rolldown's options differs between our own modules and libraries. */
interface Form {
  readonly format: 'esm' | 'cjs';
  readonly sourcemap: boolean;
  readonly entryFileNames: string;
  readonly chunkFileNames: string;
}

async function write(input: Readonly<Record<string, string>>, form: Form): Promise<readonly OutputChunk[]> {
  const bundle = await rolldown({
    cwd: dir,
    platform: 'node',
    input: { ...input },
    external: isOutside,
    plugins: [shared, lateLibraries],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({ dir: 'dist', ...form });
  await bundle.close();
  return output.filter((one): one is OutputChunk => one.type === 'chunk');
}

/** `drizzle-orm/sqlite-core` as the name of a file. */
function toFileName(library: string): string {
  return library.replace(/^@/, '').replaceAll('/', '-');
}
