import { resolve } from 'node:path';
import { DeclarationError, type Problem } from '@waymark/contract';
import { type Fault, isError, toProblems } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import { toFilesPart } from './files/files-part.ts';
import type { HostSide } from './files/host-files.ts';
import type { StaticFilesDeclaration } from './files/static-files.ts';
import { checkTemplate } from './page/check-page.ts';
import type { PageDeclaration } from './page/page.ts';
import type { PageHandlerDeclaration } from './page/page-handler.ts';
import { type Show, toPageHandlerPart, toPagePart } from './page/page-part.ts';
import type { PageFault } from './page-rules.ts';
import type { Part } from './part.ts';
import { readTemplates, type Templates } from './templates/read-templates.ts';

/** Declaration of a page, with or without a handler, or of static files: what `createPages` takes. */
export type PagesDeclaration = PageDeclaration | PageHandlerDeclaration | StaticFilesDeclaration;

/** Options of `createPages`. */
export interface CreatePagesOptions extends Partial<HostSide> {
  /** Directory of the templates, relative to the working directory; default: none, and every page is a problem. */
  readonly templates?: string | undefined;
  /**
   * Tells whether the host has a database, which pages with SQL need. Default: unknown, and such pages make the plugin ask
   * for one in its `needs`.
   */
  readonly database?: boolean;
}

/**
 * Makes the plugin of declared pages and static files.
 *
 * The check of the plugin reads and compiles the templates, which are not read again. Its start checks the statements of
 * pages against the database of the host.
 */
export function createPages(
  declarations: readonly PagesDeclaration[],
  { templates: directory, database, keeps = [], program = [] }: CreatePagesOptions = {},
): Plugin {
  let read: ReadTemplates | undefined;
  const show: Show = (name, context) => {
    const render = read?.ok ? read.templates.find(name) : undefined;
    if (!render) throw new Error(`template "${name}" was not read`);
    return render(context);
  };
  const parts = declarations.map((declaration) => ({
    declaration,
    part: toPart(declaration, show, { keeps, program }),
  }));
  const pages = parts.filter(({ declaration }) => declaration.kind !== 'staticFiles');
  const readers = parts.filter(({ part }) => part.prepare);

  const check = (): readonly Problem[] => {
    const [first] = pages;
    if (first) read ??= tryTemplates(directory);
    const templates = read?.ok ? read.templates : undefined;
    return [
      ...(first && read?.ok === false ? problemsOf(first.declaration, [read.fault]) : []),
      ...(templates?.problems ?? []),
      ...parts.flatMap(({ declaration, part }) =>
        problemsOf(declaration, [
          ...part.faults,
          ...('template' in part && templates ? checkTemplate(part.template, templates.names) : []),
          ...(part.prepare && database === false ? [withoutDatabase] : []),
        ]),
      ),
    ];
  };
  return {
    name: 'pages',
    placement: 'any',
    routes: parts.flatMap(({ part }) => part.routes),
    ...(readers.length > 0 && database === undefined && { needs: ['database'] }),
    check,
    findings: () => parts.flatMap(({ part }) => part.findings ?? []),
    async start(host) {
      const broken = check().filter(isError);
      if (broken.length > 0) throw new DeclarationError(broken);
      const found: Problem[] = [];
      for (const { declaration, part } of readers) {
        const faults = host.database ? await part.prepare?.(host.database) : [withoutDatabase];
        found.push(...problemsOf(declaration, faults ?? []));
      }
      if (found.length > 0) throw new DeclarationError(found);
    },
  };
}

function toPart(declaration: PagesDeclaration, show: Show, host: HostSide): Part {
  switch (declaration.kind) {
    case 'page':
      return toPagePart(declaration, show);
    case 'pageHandler':
      return toPageHandlerPart(declaration, show);
    case 'staticFiles':
      return toFilesPart(declaration, host);
  }
}

type ReadTemplates =
  | { readonly ok: true; readonly templates: Templates }
  | { readonly ok: false; readonly fault: PageFault };

function tryTemplates(directory: string | undefined): ReadTemplates {
  if (directory === undefined)
    return failed('the application names no directory of templates', "write templates: 'templates'");
  try {
    return { ok: true, templates: readTemplates(resolve(directory)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const rule =
      code === 'ENOENT' ? `there is no directory "${directory}"` : `the templates cannot be read: ${message}`;
    return failed(rule, 'name a directory that is there, relative to the working directory');
  }
}

function failed(rule: string, fix: string): ReadTemplates {
  return { ok: false, fault: { code: 'page-templates', rule, fix } };
}

const withoutDatabase: PageFault = {
  code: 'page-database',
  rule: 'it runs SQL, and there is no database',
  fix: "write database: 'sqlite://app.db'",
};

const titles: Readonly<Record<PagesDeclaration['kind'], string>> = {
  page: 'page',
  pageHandler: 'page',
  staticFiles: 'staticFiles',
};

function problemsOf(
  { kind, name, declaredAt }: PagesDeclaration,
  faults: readonly Fault[],
): readonly Problem[] {
  return toProblems(`${titles[kind]} ${name}`, declaredAt, faults);
}
