import { stripVTControlCharacters } from 'node:util';
import { findStale, keepFresh } from './fingerprint.ts';

/**
 * Builds anew what runs of the packages whose sources have changed since they were built; says so in one line while it
 * does, and nothing where all is fresh. Declarations are not written, and types not checked.
 *
 * @throws {Error} the package, the file and what the bundler cannot read in it; the others are built
 */
export async function bringUp(root: string, say: (line: string) => void): Promise<void> {
  const stale = findStale(root, 'bundled');
  if (stale.length === 0) return;
  say(`building ${stale.length === 1 ? stale[0]?.dir : `${stale.length} packages`} …`);
  // The bundler takes longer to load than to see that there is nothing to do.
  const { bundlePackage } = await import('./bundle-package.ts');
  const outcomes = await Promise.allSettled(stale.map(({ dir }) => bundlePackage(root, dir)));
  const isOk = (_: unknown, i: number): boolean => outcomes[i]?.status === 'fulfilled';
  keepFresh(root, 'bundled', stale.filter(isOk));
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') continue;
    const { message } = outcome.reason as Error; // what rolldown and we throw
    throw new Error(`${stale[i]?.dir}: ${stripVTControlCharacters(message)}`, { cause: outcome.reason });
  }
}
