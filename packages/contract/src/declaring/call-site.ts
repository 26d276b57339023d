/** A place in the source. */
export interface CallSite {
  readonly file: string;
  readonly line: number;
  /** From 1; only where code could not be read. */
  readonly column?: number;
}

/**
 * Says where a declaration call stands in the source: `src/app.ts:12`, relative to the working directory.
 *
 * @param above the function whose caller is meant; frames up to and including it are left out
 * @returns `unknown` where the engine gives no stack
 */
export function callSite(above: (...args: never[]) => unknown): string {
  return laterCallSite(above)();
}

/**
 * As `callSite`, and says it when it is asked: the words take longer than the rest of a declaration, and nearly nobody asks where
 * the routes of the service itself stand.
 */
export function laterCallSite(above: (...args: never[]) => unknown): () => string {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(holder, above);
  Error.stackTraceLimit = limit;
  const home = `${process.cwd()}/`;
  let said: string | undefined;
  return () => {
    said ??= toText(holder.stack ?? '', home);
    return said;
  };
}

function toText(stack: string, home: string): string {
  // `at name (file:line:column)`, or without a name `at file:line:column`.
  const frame = / at (?:async )?(?:.*? \((.*)\)|(.*))$/.exec(stack);
  const [, file, line] = /^(.+):(\d+):\d+$/.exec(frame?.[1] ?? frame?.[2] ?? '') ?? [];
  if (file === undefined) return 'unknown';
  const path = file.startsWith('file://') ? decodeURIComponent(new URL(file).pathname) : file;
  return `${path.startsWith(home) ? path.slice(home.length) : path}:${line}`;
}

/** Reads what `callSite` says, or what was passed as `declaredAt`; undefined where it names no line. */
export function parseCallSite(text: string): CallSite | undefined {
  const [, file, line] = /^(.+):(\d+)$/.exec(text) ?? [];
  return file === undefined ? undefined : { file, line: Number(line) };
}
