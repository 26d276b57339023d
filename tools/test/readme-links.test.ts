import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** The packages that have a page on a registry. */
const packages = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => join(root, folder, name)),
);

/** The paths that a README links to, without their fragments. */
function linksOf(readme: string): readonly string[] {
  return [...readme.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, path = '']) => path);
}

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly repository: { readonly url: string };
};
const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

/** The paths in the repository that a README links to by their whole URL. */
function repositoryLinksOf(readme: string): readonly string[] {
  return [...readme.matchAll(/\]\((https:[^)#\s]+)/g)].flatMap(([, url = '']) => {
    const [, path] = url.startsWith(home)
      ? (/^\/(?:tree|blob)\/main\/(.+)$/.exec(url.slice(home.length)) ?? [])
      : [];
    return path === undefined ? [] : [path];
  });
}

describe('the README of a package', () => {
  it.each(packages.map((folder) => [relative(root, folder), folder]))(
    '%s links to nothing outside of it, which a registry does not have',
    (_, folder) => {
      const file = join(folder, 'README.md');
      const links = existsSync(file) ? linksOf(readFileSync(file, 'utf8')) : [];
      const foreign = links.filter((path) => relative(folder, resolve(folder, path)).startsWith('..'));
      expect(foreign).toEqual([]);
      expect(links.filter((path) => !existsSync(resolve(folder, path)))).toEqual([]);
    },
  );

  it.each(packages.map((folder) => [relative(root, folder), folder]))(
    '%s links to nothing in the repository that is not there',
    (_, folder) => {
      const file = join(folder, 'README.md');
      const links = existsSync(file) ? repositoryLinksOf(readFileSync(file, 'utf8')) : [];
      expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    },
  );

  it('is looked through for links of every form', () => {
    expect(linksOf('[a](../../b.md#c) [`d`](src) [e](https://f.example) [g](#h)')).toEqual([
      '../../b.md',
      'src',
    ]);
    const text = `[a](${home}/blob/main/docs/a.md#b) [c](${home}/tree/main/packages/c) [d](https://d.example)`;
    expect(repositoryLinksOf(text)).toEqual(['docs/a.md', 'packages/c']);
  });
});
