import type { Feature } from '@waymark/contract/declaring';
import { createPages, type PagesDeclaration } from './create-pages.ts';
import type { HostSide } from './files/host-files.ts';
import { staticFiles } from './files/static-files.ts';
import { page } from './page/page.ts';
import { pageHandler } from './page/page-handler.ts';
import { pageRules } from './page-rules.ts';

/**
 * Feature with the declaration calls `page`, `pageHandler` and `staticFiles`, their rules, and the plugin that serves
 * them.
 */
export const pagesFeature = {
  name: 'pages',
  kinds: [
    { method: 'page', declare: page, options: 2, title: (path) => `page ${path}` },
    {
      method: 'pageHandler',
      declare: pageHandler,
      options: 2,
      title: (path) => `page ${path}`,
      // Options may be left out.
      arrange: ([path, template, ...rest]) => [path, template, ...(rest.length === 1 ? [{}, ...rest] : rest)],
    },
    { method: 'staticFiles', declare: staticFiles, options: 2, title: (path) => `staticFiles ${path}` },
  ],
  rules: pageRules,
  plugin: (declarations, { templates, hasDatabase: database, keeps, program }) =>
    createPages(declarations, { templates, database, keeps, program }),
} as const satisfies Feature<
  PagesDeclaration,
  HostSide & {
    readonly templates: string | undefined;
    /**
     * Tells whether a database is declared, be its URL right or wrong: a wrong URL is reported once, and not for each
     * page.
     */
    readonly hasDatabase: boolean;
  }
>;
