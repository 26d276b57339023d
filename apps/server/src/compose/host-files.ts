import { resolve } from 'node:path';
import { fileEnds } from '@waymark/data';
import type { HostFiles } from '@waymark/pages';
import type { Declarations } from '../declaring/declarations.ts';
import type { Settings } from '../options/settings.ts';
import { applicationFile, besideApplication } from '../upkeep/migrations-folder.ts';

/** What the service writes, and reads secrets from, under names that its site could have, too: a `.env` is hidden by its dot. */
export function keptFiles({
  database: { database },
  keysFile,
}: Pick<Declarations, 'database' | 'keysFile'>): readonly HostFiles[] {
  return [
    ...(database?.file === undefined ? [] : [{ what: 'the database', path: database.file, ends: fileEnds }]),
    ...(keysFile === undefined ? [] : [{ what: 'the keys for development', path: keysFile }]),
  ];
}

/** What an application is made of, as far as it says so: its own file stands for those around it. */
export function programFiles({
  declaredAt,
  migrations,
  templates,
}: Pick<Settings, 'declaredAt' | 'migrations' | 'templates'>): readonly HostFiles[] {
  const file = applicationFile(declaredAt);
  return [
    ...(file === undefined ? [] : [{ what: 'the application', path: file }]),
    ...(typeof migrations === 'string'
      ? [{ what: 'its migrations', path: resolve(besideApplication(declaredAt), migrations) }]
      : []),
    ...(typeof templates === 'string' && templates !== ''
      ? [{ what: 'its templates', path: templates }]
      : []),
  ];
}
