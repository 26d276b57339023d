import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { testFiles } from '../tools/lib/tiers.ts';

/**
 * The requirement ids that a test file hands to `verifies(…)`, read from its source without running it.
 *
 * @throws on a syntax error, and on an id that is not written out as a string: it could not be counted
 */
export function citedIds(path: string, source: string): string[] {
  const { program, errors } = parseSync(path, source);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const ids: string[] = [];
  new Visitor({
    CallExpression({ callee, arguments: cited }) {
      if (callee.type !== 'Identifier' || callee.name !== 'verifies') return;
      for (const id of cited) {
        if (id.type !== 'Literal' || typeof id.value !== 'string') {
          throw new Error(
            `${path}: verifies(…) takes ids as plain strings, found "${source.slice(id.start, id.end)}"`,
          );
        }
        ids.push(id.value);
      }
    },
  }).visit(program);
  return ids;
}

/** Every id cited by the tests below `root`, with the files that cite it. */
export function citations(root: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of testFiles(root)) {
    for (const id of new Set(citedIds(path, readFileSync(join(root, path), 'utf8')))) {
      found.set(id, [...(found.get(id) ?? []), path]);
    }
  }
  return found;
}
