import type { Plugin, Problem, Route } from '@waymark/contract';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { MemoryDeclaration } from './memory.ts';
import { guardMemory } from './memory-owner.ts';
import { memoryRoutes } from './memory-routes.ts';
import { checkMemory, checkMemoryName } from './memory-rules.ts';
import { MemoryStore } from './memory-store.ts';

/**
 * Makes the routes of the declared memories. Wrong declarations are not thrown: the plugin's check finds them.
 *
 * Only reads: tables are made when the plugin starts, after everything was checked.
 */
export async function createMemories(
  declarations: readonly MemoryDeclaration[],
  database: SqlDatabase,
): Promise<Plugin> {
  let now = Date.now;
  const problems: Problem[] = [];
  const routes: Route[] = [];
  const stores: MemoryStore[] = [];
  for (const [i, declaration] of declarations.entries()) {
    const bad = checkMemoryName(declaration, declarations.slice(0, i));
    problems.push(...(bad.length > 0 ? bad : await checkMemory(declaration, database)));
    if (bad.length > 0) continue;
    const store = new MemoryStore(database, declaration.name);
    stores.push(store);
    routes.push(...memoryRoutes(declaration, { database, store, now: () => now() }));
  }
  return {
    name: 'memories',
    routes,
    guards: [guardMemory],
    ...(declarations.length > 0 && { needs: ['database'] }),
    check: () => problems,
    async start(host) {
      now = () => host.now();
      for (const store of stores) await store.open();
    },
  };
}
