import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of pages, their templates, and static files, by the `code` that a problem carries. */
export const pageRules = {
  'page-templates': 'Pages have a directory of templates.',
  'page-template': 'A page names a template that there is.',
  'page-source': 'A page shows the rows of a statement or constant data, not both.',
  'page-data': 'The data of a page is what JSON can hold.',
  'page-bind': 'What a page shows has a name that nothing else in its template has.',
  'page-status': 'The status of a page is a number from 200 to 599 whose answer has content.',
  'page-database': 'A page that runs SQL has a database.',
  'page-sql': 'The SQL of a page is one statement that reads, of tables and columns that exist.',
  'page-params': 'The params of a page are names, or a map of name to type, and each has its placeholder.',
  'page-principal': 'The root principal is bound as "@principal", and nothing else has that name.',
  'template-syntax': 'A template parses.',
  'template-size': 'A template has at most 1 MB and 100 levels, and a directory at most 1,000 of them.',
  'template-helper': 'A template calls if, unless, each, with and lookup, with what they take.',
  'template-partial': 'A template names partials that there are.',
  'template-raw': 'A template escapes what it shows.',
  'template-place': 'A template puts data where it stays data: into text, quoted attributes, and JSON.',
  'template-markup': 'A template goes on in the same place of its markup, whatever of it is shown.',
  'files-directory': 'Static files are in a directory that there is.',
  'files-kept': 'Static files hold nothing that the service keeps for itself.',
  'files-path': 'Static files are below a path of fixed text.',
  'files-index': 'The index of static files is the name of a file.',
  'files-cache': 'Static files are good for a whole number of seconds, up to a year.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type PageFault = Fault<keyof typeof pageRules>;
