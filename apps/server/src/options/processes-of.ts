import { availableParallelism } from 'node:os';
import type { Settings } from './settings.ts';

/** How many processes serve where `waymark start` is asked: a database in memory is one process's own. */
export function processesOf({ workers, database }: Pick<Settings, 'workers' | 'database'>): number {
  return workers ?? (database !== undefined && isInMemory(database) ? 1 : availableParallelism());
}

/** Whether a database is gone with its process, and nobody else sees it. */
export function isInMemory(database: string): boolean {
  return database.includes(':memory:');
}
