import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from '../page.ts';
import { readSnippets, type Snippet } from './read-snippets.ts';
import { type PageOutcome, runPage } from './run-page.ts';
import { conditions, writeShims } from './shims.ts';

/** What became of the code of all pages. */
export interface SnippetOutcome {
  readonly passed: number;
  /** What went wrong, page by page. */
  readonly failures: readonly string[];
  /** Paths of the pages among them. */
  readonly failedPages: readonly string[];
  readonly ran: number;
  readonly skipped: readonly string[];
}

/** Pages that run at the same time. */
const lanes = 2;

/** Pages whose programs are held by tests of their own, and by which. */
const ownTests: Readonly<Record<string, string>> = {
  'docs/mcp.md': 'e2e/test/mcp-document.e2e.ts',
  'docs/embedding.md': 'tools/test/embedding.slow.test.ts',
  'docs/embedding-the-hub.md': 'tools/test/embedding.slow.test.ts',
  'docs/versioning.md': 'apps/server/test/cli-versioning.test.ts',
};

/** Runs the code of every written page, and checks the types of all of it at once. @param only parts of the paths of pages; all */
export async function runSnippets(
  root: string,
  pages: readonly Page[],
  only: readonly string[] = [],
): Promise<SnippetOutcome> {
  const absent = Object.values(ownTests).filter((test) => !existsSync(join(root, test)));
  const written = pages.filter(
    ({ source = '', path }) =>
      /^(docs|examples)\//.test(source) &&
      !(source in ownTests) &&
      (only.length === 0 || only.some((part) => path.includes(part))),
  );
  const folder = mkdtempSync(join(tmpdir(), 'waymark-docs-'));
  try {
    // Where every program below finds its packages.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const shims = writeShims(root, join(folder, 'bin'));
    const snippets = new Map(written.map((page) => [page, readSnippets(page)]));
    const waiting = [...snippets].filter(([, list]) => list.some(({ kind }) => kind !== 'skipped'));
    const outcomes: [Page, PageOutcome][] = [];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [page, list] = next;
        const home = join(folder, page.path.replaceAll('/', '-'));
        mkdirSync(home);
        // The page of an example is run where its files are.
        const beside = page.source?.startsWith('examples/') ? join(root, dirname(page.source)) : undefined;
        outcomes.push([
          page,
          await runPage(list, { root, folder: home, shims, ...(beside !== undefined && { beside }) }),
        ]);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    const types = await checkTypes(
      root,
      folder,
      outcomes.flatMap(([, { sources }]) => sources),
    );
    const failures = [
      ...absent.map((test) => `there is no test ${test}`),
      ...outcomes.flatMap(([{ source, path }, { failure }]) =>
        failure === undefined ? [] : [`${source ?? path}: ${failure}`],
      ),
      ...(types === '' ? [] : [types]),
    ];
    return {
      failures,
      failedPages: outcomes.flatMap(([{ path }, { failure }]) => (failure === undefined ? [] : [path])),
      passed: outcomes.filter(([, { failure }]) => failure === undefined).length,
      ran: outcomes.reduce((sum, [, { ran }]) => sum + ran, 0),
      skipped: [...snippets].flatMap(([page, list]) => list.flatMap((one) => toSkipped(page, one))),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toSkipped({ path }: Page, snippet: Snippet): readonly string[] {
  return snippet.kind === 'skipped' ? [`${path}:${snippet.line}: ${snippet.reason}`] : [];
}

/** One run of the compiler over the programs of all pages. @returns what it says */
async function checkTypes(root: string, folder: string, sources: readonly string[]): Promise<string> {
  if (sources.length === 0) return '';
  const tsconfig = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      types: ['node'],
      customConditions: conditions(),
    },
    include: sources.map((source) => `${source}/**/*`),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const child = spawn(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
    cwd: folder,
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return said;
}
