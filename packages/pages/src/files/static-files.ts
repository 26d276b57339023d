import type { RouteOptions } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';

/** What static files are declared with (specification, Declaration calls, `static_files`). They are no tools. */
export interface StaticFilesOptions
  extends Pick<RouteOptions, 'scopes' | 'summary' | 'description' | 'timeoutMs' | 'declaredAt'> {
  /** The file that answers for a directory: `index.html`; none, and a directory is 404. */
  readonly index?: string;
  /** How long a file may be kept without asking again, in seconds; 3600. */
  readonly cacheSecs?: number;
}

/** One declared directory of static files. */
export type StaticFilesDeclaration = Declaration<
  'staticFiles',
  { readonly path: string; readonly directory: string; readonly given: StaticFilesOptions }
>;

/**
 * Declares a directory whose files are served below a path.
 *
 *     staticFiles('/assets', 'public')
 *
 * @param directory relative to the working directory, as every path of an application
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
