import { isLoopback } from '../check/is-loopback.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { devKeys } from './dev-keys.ts';
import type { Developed } from './developed.ts';

/** Reads the keys whose variables are not set from a file, which is made where it has to be and only this machine can connect. */
export function withDevKeys(declarations: Declarations, file: string): Omit<Developed, 'close'> {
  const { declared, settings } = declarations;
  const names = declared.credentials.flatMap((one) => (one.kind === 'apiKey' ? [one.options.env] : []));
  const unset = [...new Set(names)].filter((name) => isName(name) && !settings.env(name));
  if (unset.length === 0 || !isLoopback(settings.host)) return { declarations };
  const { keys, made } = devKeys(file, unset);
  const values = new Map(Object.entries(keys));
  const env: typeof settings.env = (name) => values.get(name) ?? settings.env(name);
  return { declarations: { ...declarations, settings: { ...settings, env } }, keys: { file, made } };
}

/** What is none is reported by the check of the key. */
function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name);
}
