import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import { pathToFileURL } from 'node:url';
import { DeclarationError } from '@waymark/contract';
import type { Application } from '../../application.ts';
import { exitCodes } from '../output/print-failure.ts';
import { UsageError } from '../output/usage-error.ts';
import { explainImport, refuseBinary } from './explain-import.ts';

/** What node ends with when there is nothing left to do, and a module still waits. */
const unsettled = 13;

/** Where an application is looked for when no file is named. */
const usualFiles = ['application.ts', 'application.js', 'src/application.ts', 'src/application.js'];

/** The file of the application: the one that is named, else the first usual one there is. */
export function findApplication(file: string | undefined): string | undefined {
  return file ?? usualFiles.find((one) => existsSync(one));
}

/** Reads the variables of `.env`; what is set already wins over the file. */
export function loadEnvironment(): void {
  if (existsSync('.env')) loadEnvFile('.env');
}

/**
 * Reads `.env`, then imports the application a file exports as `application` or as its default.
 *
 * @throws {UsageError} no file, or no application in it
 * @throws {ModuleError} code that cannot be read, imports what is not there, or calls what an application does not have
 */
export async function loadApplication(file: string | undefined): Promise<Application> {
  const name = findApplication(file);
  if (name === undefined)
    throw new UsageError(`no file is named, and there is none of ${usualFiles.join(', ')}`);
  if (!existsSync(name)) throw new UsageError(`there is no file ${name}`);
  refuseBinary(name);
  loadEnvironment();
  // Node ends with 13 and names a file of ours.
  const neverLoaded = (code: number): void => {
    if (code !== unsettled) return;
    console.error(`${name} does not come to its end: something that it awaits never settles`);
    process.exitCode = exitCodes.failure;
  };
  process.once('exit', neverLoaded);
  const module = (await import(pathToFileURL(resolve(name)).href)
    .finally(() => process.off('exit', neverLoaded))
    .catch(async (error: unknown) => {
      // citty takes nothing that was thrown for nothing that happened.
      if (!error) throw new Error(`${name} threw ${String(error)}`);
      throw await explainImport(error, name);
    })) as Readonly<Record<string, unknown>>;
  const application = module['application'] ?? module['default'];
  if (!isApplication(application))
    throw new UsageError(
      `${name} exports no application; write: export const application = createApplication('name')`,
    );
  return application;
}

/**
 * Loads an application whose routes are sound, for commands that describe it. What it needs to run is not asked for:
 * keys and ports are no matter of its routes.
 *
 * @throws {DeclarationError} with what is wrong with the routes
 */
export async function loadDescribable(file: string | undefined): Promise<Application> {
  const application = await loadApplication(file);
  const problems = application.table.problems.filter(({ severity }) => severity === undefined);
  if (problems.length > 0) throw new DeclarationError(problems);
  return application;
}

function isApplication(value: unknown): value is Application {
  return typeof value === 'object' && value !== null && 'listen' in value && 'table' in value;
}
