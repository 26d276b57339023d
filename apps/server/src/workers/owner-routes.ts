import type { Route } from '@waymark/contract';
import type { Engine, Plugin } from '@waymark/contract/engine';

/** Whether a plugin starts in every process. One that starts nothing is as good everywhere. */
export function isEverywhere({ placement, start }: Plugin): boolean {
  return placement === 'any' || (placement === undefined && start === undefined);
}

/** Tells the routes of the owner: those that say so, and those of plugins that start there only. */
export function ownerRoutes(plugins: readonly Plugin[]): (route: Route) => boolean {
  // A table keeps a route whose name was taken under another one; its engine stays.
  const owned = new Set<Engine>(
    plugins
      .filter((plugin) => !isEverywhere(plugin))
      .flatMap(({ routes }) => routes.map(({ engine }) => engine)),
  );
  return ({ placement, engine }) => placement === 'owner' || owned.has(engine);
}
