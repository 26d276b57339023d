import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/**
 * The paths of a guide: words in backticks that begin with a folder of ours or are called like a file. A `<word>` in one
 * stands for any name; a bare `*.e2e.ts` is a way to call files, and none.
 */
function pathsOf(markdown: string): readonly string[] {
  const words = [...markdown.matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word);
  return words.filter(
    (word) => /^(packages|apps|e2e|tools|docs|\.ci)\//.test(word) || /^[^*].*\.(ts|mjs|json|md)$/.test(word),
  );
}

function isThere(path: string): boolean {
  const pattern = path.replaceAll(/<[^>]+>/g, '*');
  return pattern.includes('*') ? globSync(pattern, { cwd: root }).length > 0 : existsSync(join(root, path));
}

describe.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s', (guide) => {
  it('names no path that is not there, from the root', () => {
    const paths = pathsOf(readFileSync(join(root, guide), 'utf8'));
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });
});

describe('the paths of a guide', () => {
  it('are what looks like one', () => {
    const text =
      '`packages/http`, `tools/a.ts`, `compose.ts`, `e2e/<name>.ts`, `*.e2e.ts`, `a/b`, `npm run e2e/x`';
    expect(pathsOf(text)).toEqual(['packages/http', 'tools/a.ts', 'compose.ts', 'e2e/<name>.ts']);
  });

  it('may stand for many, of which there is one at least', () => {
    expect(isThere('apps/server/test/fixtures/mistakes/<code>.ts')).toBe(true);
    expect(isThere('apps/server/test/fixtures/mistakes/<code>.tsx')).toBe(false);
  });
});
