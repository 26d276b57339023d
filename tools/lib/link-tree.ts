import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Gives all files of a folder another name, below another folder of the same disk: nothing is written once more. */
export function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else linkSync(source, target);
  }
}
