import type { Page } from './page.ts';

/** The list of pages for programs that read: title, link to the Markdown, and what each is about. */
export function toLlms(pages: readonly Page[]): string {
  const listed = pages.filter(({ unlisted }) => !unlisted);
  const sections = [...new Set(listed.map(({ section }) => section))];
  return [
    '# Waymark',
    '> An application server in TypeScript: a route is declared once, and is a REST endpoint, an OpenAPI operation, an MCP tool and a typed client method. Agents, flows, cameras and SQL are declared the same way.',
    'All of it in one file: [llms-full.txt](llms-full.txt). Each code of a problem has a page: `reference/rules/<code>.md`, or `npx waymark explain <code>`.',
    ...sections.map((section) =>
      [
        `## ${section}\n`,
        ...listed
          .filter((page) => page.section === section)
          .map(({ title, path, summary }) => `- [${title}](${path}.md): ${summary}`),
      ].join('\n'),
    ),
    '',
  ].join('\n\n');
}

/** All pages but those of single rules, one after the other. */
export function toLlmsFull(pages: readonly Page[], markdown: (page: Page) => string): string {
  return pages
    .filter(({ unlisted }) => !unlisted)
    .map((page) => `<!-- ${page.path}.md -->\n\n${markdown(page).trim()}\n`)
    .join('\n\n');
}
