import type { RouteOptions } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';

/** Options of static files (specification, Declaration calls, `static_files`). They are no tools. */
export interface StaticFilesOptions
  extends Pick<RouteOptions, 'scopes' | 'summary' | 'description' | 'timeoutMs' | 'declaredAt'> {
  /** Name of the file that answers for a directory, `index.html`; default: none, and a directory is 404. */
  readonly index?: string;
  /**
   * Seconds that a file may be cached without asking again, a whole number from 0 to 31,536,000; default: 3,600. That of an
   * `index.html`, too: declare it with 0, and what a bundler names anew each time apart, with a year.
   */
  readonly cacheSecs?: number;
}

/** Declaration of a directory of static files, as `staticFiles` returns it. */
export type StaticFilesDeclaration = Declaration<
  'staticFiles',
  { readonly path: string; readonly directory: string; readonly given: StaticFilesOptions }
>;

/**
 * Declares a directory whose files are served below a path.
 *
 *     staticFiles('/assets', 'public')
 *
 * @param path fixed text, without parameters
 * @param directory path relative to the working directory
 */
export function staticFiles(
  path: string,
  directory: string,
  options: StaticFilesOptions = {},
): StaticFilesDeclaration {
  const declaredAt = options?.declaredAt ?? callSite(staticFiles);
  return {
    kind: 'staticFiles',
    name: asText(path),
    options: { path, directory, given: options },
    declaredAt,
  };
}
