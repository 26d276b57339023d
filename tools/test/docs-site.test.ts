import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { declarationRules } from '../../apps/server/src/check/declaration-rules.ts';
import { buildSite, type Site } from '../docs/build.ts';
import { createLinks } from '../docs/links.ts';
import { toPage } from '../docs/page.ts';
import { repositoryRoot } from '../lib/workspace.ts';

let site: Site;
beforeAll(async () => {
  site = await buildSite(repositoryRoot);
});

const textOf = (path: string): string => {
  const content = site.files.get(path);
  if (content === undefined) throw new Error(`there is no ${path}`);
  return content.toString();
};

describe('the documentation', () => {
  it('has every page of docs, and no link that leads nowhere', () => {
    verifies('docs.links');
    const written = globSync('docs/**/*.md', { cwd: repositoryRoot }).map((path) =>
      path.replaceAll('\\', '/'),
    );
    const sources = new Set(site.pages.map(({ source }) => source));
    // What shows a part of the product to those who work on it is read where it stands.
    expect(written.filter((path) => !sources.has(path) && !path.startsWith('docs/console/'))).toEqual([]);
    expect(site.problems).toEqual([]);
  });

  it('has a file for whatever its pages refer to, and refers to nothing elsewhere but by links', () => {
    verifies('docs.links', 'docs.offline');
    const absent: string[] = [];
    const foreign: string[] = [];
    for (const path of site.files.keys()) {
      if (!path.endsWith('.html')) continue;
      for (const [, attribute, href = ''] of textOf(path).matchAll(/ (href|src)="([^"#]+)(?:#[^"]*)?"/g)) {
        if (/^[a-z]+:/.test(href)) {
          if (attribute === 'src') foreign.push(`${path}: ${href}`);
        } else if (!site.files.has(posix.join(posix.dirname(path), href))) absent.push(`${path}: ${href}`);
      }
    }
    expect(absent).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('has a page for each rule, which the list leads to', () => {
    verifies('docs.rules');
    const list = textOf('reference/rules.html');
    for (const [code, rule] of Object.entries(declarationRules)) {
      expect(list).toContain(`href="rules/${code}.html"`);
      expect(textOf(`reference/rules/${code}.md`)).toContain(`# ${code}\n\n${rule}`);
    }
  });

  it('is there for programs: each page as Markdown, a list of them, and all of it in one file', () => {
    verifies('docs.machine-readable');
    const list = textOf('llms.txt');
    const all = textOf('llms-full.txt');
    for (const { path, title, unlisted } of site.pages) {
      expect(textOf(`${path}.md`)).toMatch(/^# /m);
      if (unlisted) continue;
      expect(list).toContain(`- [${title}](${path}.md): `);
      expect(all).toContain(`<!-- ${path}.md -->`);
    }
    // Links of the Markdown lead to Markdown that is there.
    for (const [path, content] of site.files) {
      if (!path.endsWith('.md')) continue;
      const text = content.toString().replaceAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm, '');
      for (const [, href = ''] of text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g))
        expect(site.files.has(posix.join(posix.dirname(path), href)), `${path}: ${href}`).toBe(true);
    }
  });

  it('says of every option what it means', () => {
    const options = textOf('reference/options.md');
    expect(options).toContain('| `database` | `string` | URL of the database');
    expect(options).not.toMatch(/\| \|$/m);
  });

  it('names the codes of failures, those that stand in a constant or are one of some words, too', () => {
    const errors = textOf('reference/errors.md');
    const rows = {
      memory_full: '| 409 | no more than … of your entries are kept here',
      tool_refused: '| 403 |',
      declined: '| 403 | the call was …',
      expired: '| 403 | the call was …',
      owner_gone: '| 503 | the process that owns this route has ended',
      crash_loop: '| 500 | the process stopped … times while it ran',
    };
    for (const [code, row] of Object.entries(rows)) expect(errors).toContain(`| \`${code}\` ${row}`);
  });

  it('shows the text of pages as text', () => {
    const script = textOf('how-to/pages.html');
    expect(script).toContain('&lt;li&gt;');
    expect(script.match(/<script/g)).toHaveLength(1);
  });
});

describe('a link', () => {
  const page = toPage({ path: 'a/b', section: 's', source: 'docs/a/b.md', markdown: '# B\n\nText.\n' });
  const links = createLinks(repositoryRoot, 'https://host/repo', [page]);

  it('leads to pages, headings, pictures and the repository, or nowhere', () => {
    expect(links.resolve(page, 'b.md#x')).toEqual({ kind: 'page', page, fragment: 'x' });
    expect(links.resolve(page, 'https://host/repo/blob/main/docs/a/b.md')).toMatchObject({ kind: 'page' });
    expect(links.resolve(page, '../console/run-light.png')).toMatchObject({ kind: 'asset' });
    expect(links.resolve(page, '../../LICENSE')).toMatchObject({ kind: 'elsewhere' });
    expect(links.resolve(page, 'c.md')).toEqual({ kind: 'dead' });
    expect(links.resolve(page, 'https://host/repo/blob/main/nowhere.md')).toEqual({ kind: 'dead' });
  });
});

it('the documentation is built and checked by CI', () => {
  expect(readFileSync(`${repositoryRoot}/tools/ci.ts`, 'utf8')).toContain("'tools/docs.ts', '--check'");
});
