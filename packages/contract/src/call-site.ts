/**
 * Says where a declaration call stands in the source: `src/app.ts:12`, relative to the working directory.
 *
 * @param above the function whose caller is meant; frames up to and including it are left out
 * @returns `unknown` where the engine gives no stack
 */
export function callSite(above: (...args: never[]) => unknown): string {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(holder, above);
  Error.stackTraceLimit = limit;
  const [, file, line] = /(?:\(|at (?:async )?)([^()\s][^()]*?):(\d+):\d+\)?\s*$/.exec(holder.stack ?? '') ?? [];
  if (file === undefined) return 'unknown';
  const path = file.startsWith('file://') ? decodeURIComponent(new URL(file).pathname) : file;
  const home = `${process.cwd()}/`;
  return `${path.startsWith(home) ? path.slice(home.length) : path}:${line}`;
}
