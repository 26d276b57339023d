// Writes packages/control-plane/pages, what the page of the OpenAPI document is served from, out of
// packages/control-plane/browser. `--check` fails when it is not fresh.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BundledFile,
  bringUpPages,
  bundleScripts,
  readStyles,
  smallerCss,
} from './lib/bundle-browser.ts';
import { repositoryRoot } from './lib/workspace.ts';

const sources = 'packages/control-plane/browser/docs';

/** Where what is served stands, relative to the root. */
export const docsFolder = 'packages/control-plane/pages';

const command = 'npm run docs-page';
const said = `from ${sources} by ${command}`;

/** What the page is served from, as the sources give it now: the same each time. */
export async function bundleDocs(): Promise<readonly BundledFile[]> {
  const scripts = await bundleScripts({ entries: { docs: `${sources}/main.ts` }, said });
  const css = smallerCss(readStyles(sources, '*.css').join('\n'));
  return [
    ...scripts,
    { name: 'docs.css', text: `/* ${said} */\n${css}\n` },
    { name: 'icon.svg', text: readFileSync(join(repositoryRoot, sources, 'icon.svg'), 'utf8') },
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

if (import.meta.main) bringUpPages(docsFolder, await bundleDocs(), command);
