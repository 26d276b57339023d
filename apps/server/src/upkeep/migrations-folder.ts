import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Settings } from '../options/settings.ts';

/** Where migrations are looked for that are not named: beside the application. */
const usualFolder = 'migrations';

/**
 * The folder of numbered migrations: the one that is named, or `migrations` beside the application where that holds some.
 * Undefined: the application has none.
 */
export async function migrationsFolder({
  migrations,
  declaredAt,
}: Pick<Settings, 'migrations' | 'declaredAt'>): Promise<string | undefined> {
  if (migrations === false) return undefined;
  const home = besideApplication(declaredAt);
  if (migrations !== undefined) return resolve(home, migrations);
  const folder = resolve(home, usualFolder);
  if (!existsSync(folder)) return undefined;
  const { holdsMigrations } = await import('@waymark/data/upkeep');
  return holdsMigrations(folder) ? folder : undefined;
}

/** The folder of the file that makes the application; the working directory where that is not known. */
export function besideApplication(declaredAt: string | undefined): string {
  const file = applicationFile(declaredAt);
  return file === undefined ? process.cwd() : dirname(file);
}

/** The file that makes the application; undefined where that is not known. */
export function applicationFile(declaredAt: string | undefined): string | undefined {
  const [, file] = /^(.+):\d+$/.exec(declaredAt ?? '') ?? [];
  return file === undefined ? undefined : resolve(file);
}
