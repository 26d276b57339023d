import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readExamples, readPackages, readWritten } from './contents.ts';
import { toDocument } from './frame.ts';
import { createLinks } from './links.ts';
import { toLlms, toLlmsFull } from './llms.ts';
import type { Page } from './page.ts';
import { commandPage } from './reference/command-page.ts';
import { controlPage } from './reference/control-page.ts';
import { errorPage } from './reference/error-page.ts';
import { eventPage } from './reference/event-page.ts';
import { optionPage } from './reference/option-page.ts';
import { rulePages } from './reference/rule-pages.ts';
import { type Body, toBody } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';

/** A file of the site: its path and what is in it. */
export type SiteFiles = ReadonlyMap<string, string | Uint8Array>;

/** The whole documentation, and what is wrong with it. */
export interface Site {
  readonly pages: readonly Page[];
  readonly files: SiteFiles;
  /** Links that lead nowhere, each in a line. */
  readonly problems: readonly string[];
}

/** Reads all pages, written and generated, in the order of the navigation. */
async function readPages(root: string): Promise<readonly Page[]> {
  const [rules, ...rulesAlone] = rulePages();
  const generated = [
    optionPage(root),
    await commandPage(),
    ...(rules ? [rules] : []),
    errorPage(root),
    controlPage(),
    eventPage(),
  ];
  const written = readWritten(root);
  const reference = written.filter(({ section }) => section === 'Reference');
  const rest = written.filter(({ section }) => section !== 'Reference');
  return [
    ...rest.filter(({ section }) => section !== 'Explanation'),
    ...readExamples(root),
    ...rest.filter(({ section }) => section === 'Explanation'),
    ...generated,
    ...reference,
    ...readPackages(root),
    ...rulesAlone,
  ];
}

/** Makes the site in memory. */
export async function buildSite(root: string): Promise<Site> {
  const pages = await readPages(root);
  const links = createLinks(root, homeOf(root), pages);
  const files = new Map<string, string | Uint8Array>();
  const bodies = new Map(pages.map((page) => [page, toBody(page, links)]));
  for (const [page, body] of bodies) {
    files.set(`${page.path}.html`, toDocument(page, body, pages));
    files.set(`${page.path}.md`, toMarkdown(page, links));
    for (const asset of body.assets) files.set(asset, readFileSync(join(root, asset)));
  }
  for (const name of ['site.css', 'site.js', 'icon.svg'])
    files.set(name, readFileSync(join(import.meta.dirname, 'site', name)));
  files.set('search-index.js', toSearchIndex(bodies));
  files.set('llms.txt', toLlms(pages));
  files.set(
    'llms-full.txt',
    toLlmsFull(pages, (page) => toMarkdown(page, links)),
  );
  return { pages, files, problems: problemsOf(bodies, links) };
}

/** Writes the site to a folder, which then has nothing else in it. */
export function writeSite({ files }: Site, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function homeOf(root: string): string {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly repository: { readonly url: string };
  };
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** Links without a file, and those to a heading that is not there. */
function problemsOf(bodies: ReadonlyMap<Page, Body>, links: ReturnType<typeof createLinks>): string[] {
  const idsOf = (page: Page): ReadonlySet<string> =>
    new Set(bodies.get(page)?.headings.map(({ id }) => id) ?? []);
  return [...bodies.keys()].flatMap((page) => {
    const from = page.source ?? page.path;
    const text = page.markdown.replaceAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm, '');
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = '']) => {
      const target = links.resolve(page, href);
      if (target.kind === 'dead') return [`${from}: ${href} leads nowhere`];
      if (target.kind === 'page' && target.fragment !== '' && !idsOf(target.page).has(target.fragment))
        return [`${from}: ${href}: the page has no such heading`];
      return [];
    });
  });
}

/** A script, so that a page from a folder can load it, too. Pages of single rules are found by their code and sentence. */
function toSearchIndex(bodies: ReadonlyMap<Page, Body>): string {
  const entries = [...bodies].flatMap(([page, { texts }]) =>
    page.unlisted
      ? [{ title: page.title, heading: page.title, path: `${page.path}.html`, text: page.summary }]
      : texts.map(({ id, heading, text }, i) => ({
          ...{ title: page.title, heading, text: text.slice(0, longestText) },
          path: i === 0 ? `${page.path}.html` : `${page.path}.html#${id}`,
        })),
  );
  return `globalThis.searchIndex = ${JSON.stringify(entries)};\n`;
}

/** Characters of one part of a page that a search looks through. */
const longestText = 3_000;
