import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../lib/workspace.ts';

/** The helpers of pages without a library, which write out what cannot be seen; the console has a hook that does. */
const helpers = [
  'packages/control-plane/browser/docs/view/dom.ts',
  'packages/device-hub/browser/shell/dom.ts',
];

/** Each brings a text to a page as it is. Nodes alone: `appendChild`, `insertBefore`, `replaceChild`. */
const rawTexts = [
  /\.(?:textContent|innerText|outerText|innerHTML|outerHTML|nodeValue|title|placeholder|alt|aria[A-Z]\w*)\s*=(?!=)(?!\s*toVisible\()/,
  /\.(?:append|prepend|replaceChildren|replaceWith|before|after|insertAdjacent\w+|createTextNode)\(/,
  /\.setAttribute\((?!')/,
  /\.setAttribute\('(?:title|aria-label|aria-description|alt|placeholder)'/,
  /dangerouslySetInnerHTML|document\.write|new (?:Text|Option)\(/,
];

function rawIn(path: string, text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line, i) =>
      rawTexts.some((raw) => raw.test(line)) ? [`${path}:${i + 1} ${line.trim()}`] : [],
    );
}

it('no page brings a text to a browser past what writes out the unseen', () => {
  const paths = globSync('packages/*/browser/**/*.{ts,tsx}', { cwd: repositoryRoot });
  expect(paths.length).toBeGreaterThan(150);
  for (const path of helpers) expect(paths).toContain(path);
  const others = paths.filter((path) => !helpers.includes(path));
  expect(others.flatMap((path) => rawIn(path, readFileSync(join(repositoryRoot, path), 'utf8')))).toEqual([]);
});

it.each([
  'element.textContent = text;',
  'place.append(el("p"), text);',
  "canvas.setAttribute('aria-label', text);",
  'element.setAttribute(name, text);',
  'document.title = title;',
  'field.placeholder = text;',
  'parent.replaceChildren(text);',
  '<p dangerouslySetInnerHTML={{ __html: text }} />',
])('finds %s', (line) => {
  expect(rawIn('page.ts', line)).toEqual([`page.ts:1 ${line}`]);
});
