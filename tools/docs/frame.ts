import { escapeHtml } from './highlight.ts';
import { relativeTo } from './links.ts';
import type { Page } from './page.ts';
import type { Body } from './to-html.ts';

/** Nothing is loaded from elsewhere, and nothing runs but the one script. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** A whole document: a page in the frame that all of them have. */
export function toDocument(page: Page, { html, headings }: Body, pages: readonly Page[]): string {
  const to = (file: string): string => escapeHtml(relativeTo(page, file));
  const listed = pages.filter(({ unlisted }) => !unlisted);
  const at = listed.indexOf(page);
  const around = [listed[at - 1], at < 0 ? undefined : listed[at + 1]];
  const toc = headings.filter(({ depth }) => depth === 2 || depth === 3);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<title>${escapeHtml(page.path === 'index' ? page.title : `${page.title} · Waymark`)}</title>
<meta name="description" content="${escapeHtml(page.summary.slice(0, 200))}">
<link rel="icon" href="${to('icon.svg')}">
<link rel="stylesheet" href="${to('site.css')}">
<link rel="alternate" type="text/markdown" href="${to(`${page.path}.md`)}">
<script src="${to('site.js')}" defer></script>
<a class="skip" href="#content">Skip to the text</a>
<header>
  <a class="brand" href="${to('index.html')}">Waymark</a>
  <div class="search" role="search">
    <input type="search" aria-label="Search the documentation" placeholder="Search (/)" data-root="${to('index.html').replace(/index\.html$/, '')}" autocomplete="off">
    <ul class="results" aria-label="Results" hidden></ul>
  </div>
</header>
<div class="columns">
<nav aria-label="Pages">
<details class="menu"><summary>All pages</summary>
${toNavigation(page, listed, to)}
</details>
</nav>
<main id="content" tabindex="-1">
${html}
<footer>
${around.map((one, i) => (one ? `<a class="${i === 0 ? 'before' : 'after'}" href="${to(`${one.path}.html`)}"><span>${i === 0 ? 'Before' : 'Next'}</span> ${escapeHtml(one.title)}</a>` : '')).join('\n')}
<p><a href="${to(`${page.path}.md`)}">This page as Markdown</a> · <a href="${to('llms.txt')}">llms.txt</a></p>
</footer>
</main>
${toc.length > 1 ? `<aside aria-label="On this page"><p>On this page</p><ul>${toc.map(({ id, text, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`).join('')}</ul></aside>` : ''}
</div>
</html>
`;
}

function toNavigation(page: Page, listed: readonly Page[], to: (file: string) => string): string {
  const sections = [...new Set(listed.map(({ section }) => section))];
  return sections
    .map((section) => {
      const items = listed
        .filter((one) => one.section === section)
        .map((one) => {
          const current = one === page ? ' aria-current="page"' : '';
          return `<li><a href="${to(`${one.path}.html`)}"${current}>${escapeHtml(one.title)}</a></li>`;
        });
      return `<section><h2>${escapeHtml(section)}</h2><ul>${items.join('')}</ul></section>`;
    })
    .join('\n');
}
