import type { Settings } from './settings.ts';

/** How many processes serve where `waymark start` is asked. One for now, where nobody says: several are asked for. */
export function processesOf({ workers = 1 }: Pick<Settings, 'workers'>): number {
  return workers;
}

/** Whether a database is gone with its process, and nobody else sees it. */
export function isInMemory(database: string): boolean {
  return database.includes(':memory:');
}
