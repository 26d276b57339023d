import { type Links, relativeTo } from './links.ts';
import type { Page } from './page.ts';

/** A page as Markdown, with links that lead to the Markdown of other pages. */
export function toMarkdown(page: Page, links: Links): string {
  // Code keeps what looks like a link.
  const parts = page.markdown.split(/(^```[\s\S]*?^```$|`[^`\n]+`)/m);
  return parts.map((part, i) => (i % 2 === 1 ? part : withLinks(part, page, links))).join('');
}

function withLinks(text: string, page: Page, links: Links): string {
  return text.replaceAll(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
    const target = links.resolve(page, href);
    if (target.kind === 'elsewhere') return `](${target.url})`;
    if (target.kind === 'asset') return `](${relativeTo(page, target.file)})`;
    if (target.kind === 'dead' || target.page === page) return whole;
    const hash = target.fragment === '' ? '' : `#${target.fragment}`;
    return `](${relativeTo(page, `${target.page.path}.md`)}${hash})`;
  });
}
