import { sep } from 'node:path';
import { adminScope } from '@waymark/contract/principal';
import { isLoopback } from '../check/is-loopback.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { devKeys, makeKey } from './dev-keys.ts';
import type { Developed } from './developed.ts';
import type { KeyInUse } from './development-options.ts';

/** Reads the keys whose variables are not set from a file, which is made where it has to be and only this machine can connect. */
export function withDevKeys(declarations: Declarations, file: string): Omit<Developed, 'close'> {
  const { declared, settings } = declarations;
  const names = declared.credentials.flatMap((one) => (one.kind === 'apiKey' ? [one.options.env] : []));
  const unset = [...new Set(names)].filter((name) => isName(name) && !settings.env(name));
  if (unset.length === 0 || !isLoopback(settings.host)) return { declarations };
  const { keys, made } = devKeys(file, unset);
  const admin = declared.credentials.find(
    (one) =>
      one.kind === 'apiKey' && one.options.scopes.includes(adminScope) && unset.includes(one.options.env),
  );
  return {
    declarations: { ...withVariables(declarations, new Map(Object.entries(keys))), keysFile: file },
    keys: { file, made },
    // The page that says it is anybody's: where the project lies is not their business.
    ...(admin?.kind === 'apiKey' && {
      adminKey: { variable: admin.options.env, file: file.split(sep).slice(-2).join('/') },
    }),
  };
}

/** Makes a key for each variable that is not set, for as long as the server runs. */
export function withOwnKeys(
  declarations: Declarations,
  told: (keys: readonly KeyInUse[]) => void,
): Omit<Developed, 'close'> {
  const { declared, settings } = declarations;
  const keys = declared.credentials.flatMap((one) =>
    one.kind === 'apiKey' && isName(one.options.env)
      ? [{ id: one.name, variable: one.options.env, key: settings.env(one.options.env) || makeKey() }]
      : [],
  );
  told(keys);
  return {
    declarations: withVariables(declarations, new Map(keys.map(({ variable, key }) => [variable, key]))),
  };
}

function withVariables(declarations: Declarations, values: ReadonlyMap<string, string>): Declarations {
  const { settings } = declarations;
  const env: typeof settings.env = (name) => values.get(name) ?? settings.env(name);
  return { ...declarations, settings: { ...settings, env } };
}

/** What is none is reported by the check of the key. */
function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name);
}
