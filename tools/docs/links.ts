import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Page } from './page.ts';

/** What a link of a page leads to. */
export type Target =
  | { readonly kind: 'page'; readonly page: Page; readonly fragment: string }
  /** A picture, which is written beside the pages. */
  | { readonly kind: 'asset'; readonly file: string }
  | { readonly kind: 'elsewhere'; readonly url: string }
  | { readonly kind: 'dead' };

/** Says where links lead. */
export interface Links {
  resolve(from: Page, href: string): Target;
}

/**
 * Resolves links as they stand in the sources: relative to the file, or to this repository by its whole URL. What is in the
 * repository and no page is shown there.
 *
 * @param home URL of the repository
 */
export function createLinks(root: string, home: string, pages: readonly Page[]): Links {
  const bySource = new Map(pages.map((page) => [sourceOf(page), page]));
  const toFile = (file: string, fragment: string): Target => {
    const page = bySource.get(file) ?? bySource.get(`${file}/README.md`);
    if (page) return { kind: 'page', page, fragment };
    if (!existsSync(join(root, file))) return { kind: 'dead' };
    if (/\.(png|svg)$/.test(file)) return { kind: 'asset', file };
    const kind = /\.\w+$/.test(posix.basename(file)) ? 'blob' : 'tree';
    return { kind: 'elsewhere', url: `${home}/${kind}/main/${file}` };
  };
  return {
    resolve(from, href) {
      const [path = '', given = ''] = href.split('#');
      // What GitHub calls the text below a list of files.
      const fragment = given === 'readme' ? '' : given;
      if (path.startsWith(home)) {
        const [, file] = /^\/(?:tree|blob)\/main\/(.+)$/.exec(path.slice(home.length)) ?? [];
        return file === undefined ? { kind: 'elsewhere', url: href } : toFile(file, fragment);
      }
      if (/^[a-z]+:/.test(path)) return { kind: 'elsewhere', url: href };
      if (path === '') return { kind: 'page', page: from, fragment };
      return toFile(posix.join(posix.dirname(sourceOf(from)), path), fragment);
    },
  };
}

/** The file that a page was read from; for a generated one that which it would have been. */
function sourceOf({ source, path }: Page): string {
  return source ?? `docs/${path}.md`;
}

/** The way from one page to a file of the site. */
export function relativeTo(from: Page, file: string): string {
  return posix.relative(posix.dirname(from.path), file) || posix.basename(file);
}
