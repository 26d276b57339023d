// Writes packages/device-hub/pages, what the pages of devices are served from, out of packages/device-hub/browser: a script
// for each page, one for what they share, styles and the icon. `--check` fails when it is not fresh.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';
import {
  type BundledFile,
  bringUpPages,
  bundleScripts,
  readStyles,
  smallerCss,
} from './lib/bundle-browser.ts';
import { repositoryRoot } from './lib/workspace.ts';

const hub = 'packages/device-hub';

/** Where what is served stands, relative to the root. */
export const pagesFolder = `${hub}/pages`;

const browser = join(repositoryRoot, hub, 'browser');
const command = 'npm run device-pages';
const said = `from ${hub}/browser by ${command}`;

/** What the pages are served from, as the sources give it now: the same each time. */
export async function bundlePages(): Promise<readonly BundledFile[]> {
  const scripts = await bundleScripts({ entries: readEntries(), said, plugins: [ownRequests] });
  return [
    ...scripts,
    { name: 'page.css', text: `/* ${said} */\n${smallerCss(readCss())}\n` },
    { name: 'icon.svg', text: readFileSync(join(browser, 'shell/icon.svg'), 'utf8') },
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
function readEntries(): Readonly<Record<string, string>> {
  const paths = globSync(`${hub}/browser/*/{main,worker}.ts`, { cwd: repositoryRoot }).sort();
  return Object.fromEntries(paths.map((path) => [entryName(path), path]));
}

function entryName(path: string): string {
  const page = basename(dirname(path));
  return basename(path) === 'main.ts' ? page : `${page}-worker`;
}

/** That of all pages first. */
function readCss(): string {
  return [
    ...readStyles(`${hub}/browser`, 'shell/*.css'),
    ...readStyles(`${hub}/browser`, '!(shell)/*.css'),
  ].join('\n');
}

if (import.meta.main) bringUpPages(pagesFolder, await bundlePages(), command);
