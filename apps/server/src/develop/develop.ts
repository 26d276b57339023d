import type { Declarations } from '../declaring/declarations.ts';
import type { Developed } from './developed.ts';
import type { DevelopmentOptions } from './development-options.ts';
import { withDevKeys, withOwnKeys } from './with-dev-keys.ts';
import { withModelServer } from './with-model-server.ts';

/** Puts stand-ins in the place of keys and models that a development machine lacks. */
export async function develop(
  declarations: Declarations,
  { keysFile, onKeys, modelServer, everyModel }: DevelopmentOptions,
): Promise<Developed> {
  const keyed = onKeys
    ? withOwnKeys(declarations, onKeys)
    : keysFile === undefined
      ? { declarations }
      : withDevKeys(declarations, keysFile);
  const simulated = modelServer && (await withModelServer(keyed.declarations, modelServer, everyModel));
  return { close: async () => {}, ...keyed, ...simulated };
}
