import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Application } from '../application.ts';
import { UsageError } from './usage-error.ts';

/** Where an application is looked for when no file is named. */
const usualFiles = ['application.ts', 'application.js', 'src/application.ts', 'src/application.js'];

/**
 * Imports the application a file exports as `application` or as its default.
 *
 * @throws {UsageError} no file, or no application in it
 */
export async function loadApplication(file: string | undefined): Promise<Application> {
  const name = file ?? usualFiles.find((one) => existsSync(one));
  if (name === undefined)
    throw new UsageError(`no file is named, and there is none of ${usualFiles.join(', ')}`);
  if (!existsSync(name)) throw new UsageError(`there is no file ${name}`);
  const module = (await import(pathToFileURL(resolve(name)).href)) as Readonly<Record<string, unknown>>;
  const application = module['application'] ?? module['default'];
  if (!isApplication(application))
    throw new UsageError(
      `${name} exports no application; write: export const application = createApplication('name')`,
    );
  return application;
}

function isApplication(value: unknown): value is Application {
  return typeof value === 'object' && value !== null && 'listen' in value && 'table' in value;
}
