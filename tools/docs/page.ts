/** One page of the documentation, before it is written as HTML and as Markdown. */
export interface Page {
  /** Where it is written, without an ending: `how-to/scopes`. */
  readonly path: string;
  readonly title: string;
  /** What it is about, in a sentence: its first paragraph. */
  readonly summary: string;
  readonly section: string;
  readonly markdown: string;
  /** Where it was read, relative to the root, where that is a file: links in it are relative to that. */
  readonly source?: string;
  /** Left out of the navigation: a page that a list leads to. */
  readonly unlisted?: boolean;
}

/** Makes a page of its Markdown: the title is its first heading, the summary its first paragraph. */
export function toPage(page: Omit<Page, 'title' | 'summary'>): Page {
  const [, title] = /^# (.+)$/m.exec(page.markdown) ?? [];
  if (title === undefined) throw new Error(`${page.source ?? page.path}: has no title`);
  const [, summary = ''] = /^# .+\n+((?:[^\n#|`].*\n?)+)/m.exec(page.markdown) ?? [];
  return { ...page, title: plain(title), summary: plain(summary) };
}

/** Text of Markdown without its marks. */
export function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
