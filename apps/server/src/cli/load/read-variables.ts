import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * The variables of a file like `.env`; none where it is not there. Editors and shells of Windows begin it with a byte order
 * mark, or write it as UTF-16: its first line would not be found.
 */
export function readVariables(path: string): Readonly<Record<string, string>> {
  if (!existsSync(path)) return {};
  const bytes = readFileSync(path);
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return parseEnv(new TextDecoder(encoding).decode(bytes)) as Readonly<Record<string, string>>;
}
