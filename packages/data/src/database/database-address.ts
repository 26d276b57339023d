import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { databaseProblem } from './database-problem.ts';

/** Where a database is. */
export type DatabaseAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'remote'; readonly url: string; readonly host: string };

const remoteSchemes = new Set(['libsql:', 'https:', 'http:', 'wss:', 'ws:']);

/**
 * Tells whether a text has the form of a database URL of Waymark; a `DATABASE_URL` may be meant for another database.
 */
export function isDatabaseUrl(text: string): boolean {
  return (
    text === ':memory:' ||
    text.startsWith('sqlite://') ||
    text.startsWith('file:') ||
    remoteSchemes.has(/^[^:]*:/.exec(text)?.[0] ?? '')
  );
}

/**
 * Reads the `database` option: `sqlite://<path>`, `file:<path>`, `:memory:`, `libsql://<host>`, `https://<host>`.
 * Relative paths start at the working directory.
 *
 * @throws {DeclarationError} naming the forms there are
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const path = url.startsWith('sqlite://') ? url.slice('sqlite://'.length) : undefined;
  if (url === ':memory:' || url === 'file::memory:' || path === ':memory:') return { kind: 'memory' };
  if (path !== undefined) return toFile(path);
  if (url.startsWith('file:')) return toFile(fileUrlPath(url));
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !remoteSchemes.has(parsed.protocol) || parsed.host === '')
    throw databaseProblem('database-url', 'its URL has an unknown form', forms);
  if (parsed.username !== '' || parsed.password !== '' || parsed.searchParams.has('authToken'))
    throw databaseProblem('database-url', 'its URL holds a credential', 'give it as DATABASE_AUTH_TOKEN');
  return { kind: 'remote', url, host: parsed.host };
}

/** Path of the file that a URL names; undefined for memory and servers. @throws {DeclarationError} an unknown form */
export function fileOf(url: string): string | undefined {
  const address = parseDatabaseUrl(url);
  return address.kind === 'file' ? address.path : undefined;
}

const forms = 'write sqlite://<path>, file:<path>, :memory:, libsql://<host> or https://<host>';

function toFile(path: string): DatabaseAddress {
  if (path === '') throw databaseProblem('database-url', 'its URL names no file', forms);
  // SQLite would cut a path at the null byte and open another file.
  if (path.includes('\0')) throw databaseProblem('database-url', 'its path holds a null byte', forms);
  return { kind: 'file', path: resolve(path) };
}

function fileUrlPath(url: string): string {
  if (/[?#]/.test(url))
    throw databaseProblem('database-url', 'a file URL takes no query', 'encode ? as %3F and # as %23');
  try {
    return url.startsWith('file://') ? fileURLToPath(url) : decodeURIComponent(url.slice('file:'.length));
  } catch (cause) {
    throw databaseProblem('database-url', `its file URL is malformed: ${String(cause)}`, forms);
  }
}
