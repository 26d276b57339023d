import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { readLicences } from './read-licences.ts';
import { entryPoints, type Manifest, readJson } from './workspace.ts';

/** Taken in although whoever installs the package gets it, too: its types are part of ours, and it is half of all modules. */
const alsoInstalled = ['typebox'];

/** The folder in `dist` of libraries that are loaded late. */
const libraryFolder = 'libraries';
const mark = 'late-library:';
const gathered = 'gathered:';

/**
 * Writes what a published package runs into its `dist`: one file for each of its entries, one for what several of them
 * share, one for each library that is loaded late, the licences of all that was taken in, and source maps into `src`. A
 * program starts in a quarter of the time: node finds and links some hundred files in place of sixteen hundred.
 *
 * @param dir relative to the root
 */
export async function bundlePackage(root: string, dir: string): Promise<void> {
  const cwd = join(root, dir);
  const manifest = readJson<Manifest>(join(cwd, 'package.json'));
  // What a manifest names as a dependency stays outside; what only development needs is taken in.
  const { dependencies, peerDependencies, devDependencies = {} } = manifest;
  const outside = Object.keys({ ...dependencies, ...peerDependencies });
  const isOutside = among(outside);
  // What is loaded late is for ourselves: of a library that whoever installs the package may have, too, it is our own copy.
  const isOutsideLate = among(outside.filter((name) => !(name in devDependencies)));
  const late: LateLibraries = new Map();
  const write = async (
    input: Readonly<Record<string, string>>,
    form: Form,
    external = isOutside,
  ): Promise<OutputChunk[]> => {
    const bundle = await rolldown({
      cwd,
      platform: 'node',
      input: { ...input },
      external,
      plugins: [sharedRegistry, plainHttp, callLate(late, isOutsideLate), gatherLate(late)],
      onLog: (level, log) => {
        if (level === 'warn') throw new Error(log.message);
      },
    });
    const { output } = await bundle.write({ dir: join(cwd, 'dist'), ...form });
    await bundle.close();
    return output.filter((one): one is OutputChunk => one.type === 'chunk');
  };
  const entries = [...entryPoints({ dir: '', manifest }).values()];
  const chunks = await write(
    Object.fromEntries(entries.map((entry) => [relative('src', entry).replace(/\.ts$/, ''), entry] as const)),
    { format: 'esm', sourcemap: true, entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' },
  );
  // A file for each library, whole in itself: of several entries the bundler makes CommonJS that does not find its own helpers.
  for (const library of late.keys()) {
    const file = toFile(library);
    const form = {
      format: 'cjs',
      sourcemap: false,
      entryFileNames: file,
      chunkFileNames: `${file}.js`,
    } as const;
    chunks.push(...(await write({ [library]: `${gathered}${library}` }, form, isOutsideLate)));
  }
  removeOthers(join(cwd, 'dist'), chunks);
  // The licence of what is taken in goes where that goes.
  const licences = readLicences(chunks.flatMap(({ moduleIds }) => moduleIds));
  const file = join(cwd, 'dist', 'LICENSES.txt');
  if (licences === '') rmSync(file, { force: true });
  else writeFileSync(file, licences);
}

/** Whether a module is of one of these packages, which stay outside. */
function among(names: readonly string[]): (id: string) => boolean {
  const kept = names.filter((name) => !alsoInstalled.includes(name));
  return (id) => id === 'typebox/format' || kept.some((name) => id === name || id.startsWith(`${name}/`));
}

/** What is taken in and called as `load('name')`, to have it when it is first needed: by library, by the names that are called. */
type LateLibraries = Map<string, Set<string>>;

/** What of rolldown's options differs between our own modules and libraries. */
interface Form {
  readonly format: 'esm' | 'cjs';
  readonly sourcemap: boolean;
  readonly entryFileNames: string;
  readonly chunkFileNames: string;
}

/** `Format.Set` of an application has to reach the registry that our validators read: it is not taken in. */
const sharedRegistry: Plugin = {
  name: 'shared-registry',
  resolveId: {
    filter: { id: /\/format\/index\.mjs$/ },
    handler: (source, importer) =>
      importer?.includes('/typebox/') && source.startsWith('.')
        ? { id: 'typebox/format', external: true }
        : null,
  },
};

/**
 * An `import` of `node:http` reads all that it exports, the client for WebSockets among it, for which node loads its whole
 * `fetch`: 40 ms of CPU for 5 (measured). Asked for like this it is not read.
 */
const plainHttp: Plugin = {
  name: 'plain-http',
  resolveId: { filter: { id: /^node:http$/ }, handler: () => '\0plain-http' },
  load: {
    filter: { id: /^\0plain-http$/ },
    handler: () => `module.exports = process.getBuiltinModule('node:http');`,
  },
};

/** Leads each `load('name')` of what is taken in to the file that its library becomes, and remembers it. */
function callLate(late: LateLibraries, isOutside: (id: string) => boolean): Plugin {
  return {
    name: 'call-late',
    transform: {
      filter: { id: /\/src\/.*\.ts$/, code: /\bload = createRequire\(/ },
      handler: (code) => ({
        code: code.replace(/\bload\('([^'.][^']*)'\)/g, (call, name: string) => {
          if (name.startsWith('node:') || isOutside(name)) return call;
          const library = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
          late.set(library, (late.get(library) ?? new Set()).add(name));
          return `load('${mark}${library}')['${name}']`;
        }),
        // Nothing has moved but for the rest of a line.
        map: null,
      }),
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(mark)) return null;
      const led = code.replace(new RegExp(`${mark}([^'"]+)`, 'g'), (_, library: string) => {
        const path = posix.relative(posix.dirname(fileName), toFile(library));
        return path.startsWith('.') ? path : `./${path}`;
      });
      return { code: led, map: null };
    },
  };
}

/** What a late library begins with: each of its modules that is called, under the name that it is called by. */
function gatherLate(late: LateLibraries): Plugin {
  const filter = { id: new RegExp(`^${gathered}`) };
  return {
    name: 'gather-late',
    resolveId: { filter, handler: (id) => id },
    load: {
      filter,
      handler: (id) => {
        const names = [...(late.get(id.slice(gathered.length)) ?? [])].sort();
        const members = names.map((name) => `get '${name}'() { return require('${name}'); }`);
        return `module.exports = { ${members.join(', ')} };`;
      },
    },
  };
}

/** Where a late library goes in `dist`. */
function toFile(library: string): string {
  return `${libraryFolder}/${library.replace(/^@/, '').replaceAll('/', '-')}.cjs`;
}

/** Takes out what nobody writes any more. */
function removeOthers(dist: string, chunks: readonly OutputChunk[]): void {
  const written = new Set(chunks.flatMap(({ fileName }) => [fileName, `${fileName}.map`]));
  for (const file of globSync('**/*.{js,cjs}{,.map}', { cwd: dist }))
    if (!written.has(file)) rmSync(join(dist, file));
}
