// Writes packages/device-hub/pages, what the pages of devices are served from, out of packages/device-hub/browser: a script
// for each page, one for what they share, styles and the icon. `--check` fails when it is not fresh.
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { repositoryRoot } from './lib/workspace.ts';

const hub = 'packages/device-hub';

/** Where what is served stands, relative to the root. */
export const pagesFolder = `${hub}/pages`;

/** A file of the pages. */
export interface BundledFile {
  readonly name: string;
  readonly text: string;
}

const browser = join(repositoryRoot, hub, 'browser');
const said = `from ${hub}/browser by npm run device-pages`;

/** What the pages are served from, as the sources give it now: the same each time. */
export async function bundlePages(): Promise<readonly BundledFile[]> {
  const chunks = await bundleScripts();
  return [
    ...chunks.map(({ fileName, code }) => ({ name: fileName, text: code })),
    { name: 'page.css', text: `/* ${said} */\n${smaller(readCss())}\n` },
    { name: 'icon.svg', text: read('shell/icon.svg') },
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Takes the place of the client's requests, as its file says, and so of `ky`: what is bundled would bring its licence. */
const ownRequests: Plugin = {
  name: 'own-requests',
  resolveId: (id, importer) =>
    id === './requests.ts' && importer?.endsWith('/runtime/sockets.ts')
      ? join(browser, 'shell/requests-of-pages.ts')
      : null,
};

/** Each `browser/<page>/main.ts` is a page, each `browser/<page>/worker.ts` a script that one starts. */
async function bundleScripts(): Promise<readonly OutputChunk[]> {
  const entries = globSync(`${hub}/browser/*/{main,worker}.ts`, { cwd: repositoryRoot }).sort();
  const bundle = await rolldown({
    cwd: repositoryRoot,
    platform: 'browser',
    input: Object.fromEntries(entries.map((path) => [entryName(path), path])),
    resolve: { conditionNames: ['@waymark/source', 'import', 'module', 'default'] },
    plugins: [ownRequests],
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
  const chunks = output.filter((one) => one.type === 'chunk');
  const foreign = chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => id.includes('/node_modules/')));
  if (foreign.length > 0) throw new Error(`pages take in what needs its licence: ${foreign.join(', ')}`);
  return chunks;
}

function entryName(path: string): string {
  const page = basename(dirname(path));
  return basename(path) === 'main.ts' ? page : `${page}-worker`;
}

/** That of all pages first. */
function readCss(): string {
  const own = globSync('*/*.css', { cwd: browser }).sort();
  return [
    ...own.filter((path) => path.startsWith('shell/')),
    ...own.filter((path) => !path.startsWith('shell/')),
  ]
    .map(read)
    .join('\n');
}

function read(path: string): string {
  return readFileSync(join(browser, path), 'utf8');
}

/** Without comments and indentation; what is left is for gzip. No text of ours in a style has spaces in a row. */
function smaller(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replaceAll(';}', '}')
    .trim();
}

if (import.meta.main) {
  const files = await bundlePages();
  const folder = join(repositoryRoot, pagesFolder);
  const stale = [
    ...files.filter(
      ({ name, text }) =>
        !existsSync(join(folder, name)) || readFileSync(join(folder, name), 'utf8') !== text,
    ),
    ...readdirSync(folder).flatMap((name) =>
      files.some((one) => one.name === name) ? [] : [{ name, text: undefined }],
    ),
  ];
  if (process.argv.includes('--check')) {
    for (const { name } of stale)
      console.error(`${pagesFolder}/${name} is not what the sources give: run npm run device-pages`);
    if (stale.length > 0) process.exitCode = 1;
  } else {
    for (const { name, text } of stale) {
      if (text === undefined) rmSync(join(folder, name));
      else writeFileSync(join(folder, name), text);
    }
  }
}
