import type { Page } from '../page.ts';

/** One block of code of a page, and what is to be done with it. */
export type Snippet =
  /** A file, written where the page has got to. */
  | { readonly kind: 'file'; readonly line: number; readonly path: string; readonly text: string }
  | {
      readonly kind: 'shell';
      readonly line: number;
      readonly text: string;
      /** Exit code it ends with; a server does not end. */
      readonly exit: number | 'serves';
      /** What it prints, where the page shows that: `…` stands for anything. */
      readonly output?: string;
    }
  | { readonly kind: 'skipped'; readonly line: number; readonly reason: string };

/** Languages whose blocks are programs or commands; blocks of others show something, and nothing is done with them. */
const files = new Set(['ts', 'tsx', 'js', 'mjs', 'hbs', 'sql', 'ini', 'yaml', 'dockerfile', 'html', 'css']);

/**
 * Reads the blocks of code of a page, in their order. The words behind the language say what is done with one:
 * `ts application.ts` is a file, `sh` runs, `sh serve` serves until the end of the page, `sh exit=78` ends with that, and
 * `text output` behind one is what it prints. `skip="why"` leaves one out.
 *
 * @throws {Error} a block of code says none of it
 */
export function readSnippets({ markdown, path }: Pick<Page, 'markdown' | 'path'>): readonly Snippet[] {
  const found: Snippet[] = [];
  for (const match of markdown.matchAll(/^```(\w+)?(?: +(.*))?\n([\s\S]*?)^```$/gm)) {
    const [, language = '', info = '', text = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length;
    const [, reason] = /\bskip="([^"]+)"/.exec(info) ?? [];
    const last = found.at(-1);
    if (reason !== undefined) found.push({ kind: 'skipped', line, reason });
    else if (language === 'sh') found.push({ kind: 'shell', line, text, exit: exitOf(info) });
    else if (info.split(' ').includes('output')) {
      if (last?.kind !== 'shell') throw new Error(`${path}:${line}: an output without a command before it`);
      found[found.length - 1] = { ...last, output: text };
    } else if (/^[\w./-]+$/.test(info)) found.push({ kind: 'file', line, path: info, text });
    else if (files.has(language)) throw new Error(`${path}:${line}: code that is neither a file nor skipped`);
  }
  return found;
}

function exitOf(info: string): number | 'serves' {
  if (info.split(' ').includes('serve')) return 'serves';
  const [, code = '0'] = /\bexit=(\d+)/.exec(info) ?? [];
  return Number(code);
}
