import type { MigrationStatement } from './migration.ts';

// What counts for where a statement ends; comments and quoted text are matched first, so that nothing inside them does.
const tokens =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\p{L}_][\p{L}\p{N}_$]*|\S/gu;

/** What drizzle-kit writes between statements; to SQLite it is a comment. */
const breakpoint = /^-->\s*statement-breakpoint\s*$/;

/** Cuts a file into its statements, at semicolons and at the breakpoints of drizzle-kit. A trigger is one statement. */
export function splitStatements(text: string): readonly MigrationStatement[] {
  const found: MigrationStatement[] = [];
  let start: number | undefined;
  let words: string[] = [];
  let before = '';
  let isLast = false;
  let line = 1;
  let lineEnd = text.indexOf('\n');
  /** Counted on from the statement before: a file may hold very many. */
  const lineOf = (offset: number): number => {
    for (; lineEnd >= 0 && lineEnd < offset; lineEnd = text.indexOf('\n', lineEnd + 1)) line++;
    return line;
  };
  const end = (at: number): void => {
    if (start !== undefined) found.push({ sql: text.slice(start, at).trimEnd(), line: lineOf(start) });
    start = undefined;
    words = [];
    before = '';
    isLast = false;
  };
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token.startsWith('--') || token.startsWith('/*')) {
      if (breakpoint.test(token)) end(index);
      continue;
    }
    if (token === ';') {
      // The body of a trigger ends with an END that stands alone; others close a CASE.
      if (!isTrigger(words) || isLast) end(index);
      before = ';';
      continue;
    }
    start ??= index;
    const word = token.toUpperCase();
    if (words.length < 3) words.push(word);
    isLast = word === 'END' && before === ';';
    before = word;
  }
  end(text.length);
  return found;
}

/** Line of a comment that has no end; SQLite would take all that is behind it for a part of it. */
export function lineOfOpenComment(text: string): number | undefined {
  for (const { 0: token, index } of text.matchAll(tokens))
    if (token.startsWith('/*') && (token.length < 4 || !token.endsWith('*/')))
      return text.slice(0, index).split('\n').length;
  return undefined;
}

function isTrigger([first, second, third]: readonly string[]): boolean {
  return first === 'CREATE' && (second === 'TRIGGER' || third === 'TRIGGER');
}
