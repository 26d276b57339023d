import { isOptions } from '@waymark/contract/declaring';
import type { Principal } from '@waymark/contract/principal';
import type { WatchDeclaration } from './watch.ts';
import { principalPrefix, toSettings } from './watch-settings.ts';

/** What is declared today of a watcher that began a run. */
export type WatcherToday =
  | { readonly declared: true; readonly scopes: readonly string[] }
  | { readonly declared: false };

/**
 * Says what the watcher may do today that is the caller of a stored run.
 *
 * @returns undefined for a caller that is no watcher
 */
export function watcherToday(
  { id, authenticated }: Pick<Principal, 'id' | 'authenticated'>,
  declarations: readonly WatchDeclaration[],
): WatcherToday | undefined {
  if (!authenticated || !id.startsWith(principalPrefix)) return undefined;
  const found = declarations.find(({ name }) => `${principalPrefix}${name}` === id);
  if (!found || !isOptions(found.options)) return { declared: false };
  return { declared: true, scopes: toSettings(found).scopes };
}
