import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One file that is a template. */
export interface TemplateFile {
  /** Below the directory, with slashes and its ending: `partials/nav.hbs`. */
  readonly name: string;
  readonly path: string;
}

/** The endings of templates, in the order in which a name without one is looked for. */
export const templateEndings = ['.hbs', '.html'] as const;

const maxDepth = 8;

/**
 * Finds the templates below a directory, sorted by name. Links to files are followed, since mounted configuration is
 * links; links to directories, and names that begin with a dot, are not.
 *
 * @throws {Error} as the file system does
 */
export function findTemplates(directory: string, below = '', depth = 0): readonly TemplateFile[] {
  return readdirSync(join(directory, below), { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return depth < maxDepth ? findTemplates(directory, name, depth + 1) : [];
      const path = join(directory, name);
      const wanted = templateEndings.some((ending) => name.endsWith(ending));
      return wanted && (entry.isFile() || statSync(path).isFile()) ? [{ name, path }] : [];
    });
}
