import type { Plugin } from '@waymark/contract/engine';
import { type ConsoleFiles, readConsoleFiles } from './console-files.ts';
import { consoleFileRoute, consolePageRoute } from './console-routes.ts';
import type { DevelopmentKey } from './development-key.ts';

/** Options of `consolePlugin`. */
export interface ConsoleOptions {
  /** Where the control plane lies; default: `/_svc`. The page finds the rest of the service by it. */
  readonly controlPrefix?: string;
  /**
   * Where whoever develops the application finds a key of `svc:admin`, which the page says to anybody who has to sign in; default:
   * it says none.
   */
  readonly developmentKey?: DevelopmentKey;
}

/**
 * Makes the plugin that serves the operator console at `console` under the control prefix: a page, its scripts and styles,
 * and nothing else. Nothing depends on it, and it knows nothing of what it shows.
 *
 * Anybody gets these files. But for the name of a key during development they are the same for every application and hold no
 * data of this one: everything that a page shows is asked of the control plane, the routes of agents and those of devices, with the credential of whoever looks.
 */
export function consolePlugin({ controlPrefix = '/_svc', developmentKey }: ConsoleOptions = {}): Plugin {
  let known: ConsoleFiles | undefined;
  // When it is first asked for: many servers never are.
  const files = (): ConsoleFiles => {
    known ??= readConsoleFiles();
    return known;
  };
  return {
    name: 'console',
    routes: [consolePageRoute(files, controlPrefix, developmentKey), consoleFileRoute(files)],
  };
}
