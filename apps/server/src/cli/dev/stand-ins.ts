import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SimulatorOptions } from '@waymark/model-simulator';
import type { DevelopmentOptions } from '../../develop/development-options.ts';
import { startStandIn } from '../../rehearse/start-stand-in.ts';
import { findApplication } from '../load/load-application.ts';
import { projectFolder } from '../load/project-folder.ts';
import { shown } from '../load/source-place.ts';
import { UsageError } from '../output/usage-error.ts';

/** What the simulator of an application says, beside its file. */
const scriptFiles = ['simulator.ts', 'simulator.js'];

/** Where the keys of development are, in the folder of a project. */
export const devKeysFile = join('.waymark', 'dev.env');

/** What `waymark dev` puts in the place of keys and models that nobody has set up. @param file as it was given */
export function standIns(file: string | undefined): DevelopmentOptions {
  const application = findApplication(file) ?? 'application.ts';
  return {
    keysFile: shown(join(projectFolder(application), devKeysFile)),
    modelServer: async () => startStandIn(await readScript(dirname(resolve(application)))),
  };
}

/** @throws {UsageError} a file that exports something else */
async function readScript(folder: string): Promise<Pick<SimulatorOptions, 'script'>> {
  const file = scriptFiles.map((name) => join(folder, name)).find((one) => existsSync(one));
  if (file === undefined) return {};
  const { default: script } = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
  if (typeof script === 'function') return { script: script as NonNullable<SimulatorOptions['script']> };
  throw new UsageError(
    `${shown(file)} exports no script; write: export default (conversation) => '[[say Hello.]]'`,
  );
}
