import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DeclarationError } from '@waymark/contract';
import { isError } from '@waymark/contract/declaring';
import type { Application } from '../../application.ts';
import { UsageError } from '../output/usage-error.ts';
import { environmentFiles } from './environment-files.ts';
import { explainImport, refuseBinary } from './explain-import.ts';
import { refuseOldNode } from './node-version.ts';
import { readVariables } from './read-variables.ts';
import { watchExit } from './watch-exit.ts';

/** Where an application is looked for when no file is named. */
const usualFiles = ['application.ts', 'application.js', 'src/application.ts', 'src/application.js'];

/** The file of the application: the one that is named, else the first usual one there is. */
export function findApplication(file: string | undefined): string | undefined {
  return file ?? usualFiles.find((one) => existsSync(one));
}

/** Reads the variables of the `.env` of an application; what is set already wins over the file. */
export function loadEnvironment(file: string | undefined): void {
  const found = environmentFiles(findApplication(file)).find((one) => existsSync(one));
  if (found === undefined) return;
  for (const [name, value] of Object.entries(readVariables(found))) process.env[name] ??= value;
}

/**
 * Reads its `.env`, then imports the application a file exports as `application` or as its default.
 *
 * @throws {UsageError} no file, or no application in it
 * @throws {Failure} a Node that does not run it
 * @throws {ModuleError} code that cannot be read, imports what is not there, or calls what an application does not have
 */
export async function loadApplication(file: string | undefined): Promise<Application> {
  const name = findApplication(file);
  if (name === undefined)
    throw new UsageError(`no file is named, and there is none of ${usualFiles.join(', ')}`);
  if (!existsSync(name)) throw new UsageError(`there is no file ${name}`);
  if (statSync(name).isDirectory()) throw folderGiven(name);
  refuseBinary(name);
  refuseOldNode(name);
  loadEnvironment(name);
  const module = (await watchExit(name, () =>
    import(pathToFileURL(resolve(name)).href).catch(async (error: unknown) => {
      // citty takes nothing that was thrown for nothing that happened.
      if (!error) throw new Error(`${name} threw ${String(error)}`);
      throw await explainImport(error, name);
    }),
  )) as Readonly<Record<string, unknown>>;
  const application = module['application'] ?? module['default'];
  if (!isApplication(application)) throw noApplication(name, application, module);
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
  const problems = application.table.problems.filter(isError);
  if (problems.length > 0) throw new DeclarationError(problems);
  return application;
}

function folderGiven(name: string): UsageError {
  const file = usualFiles.map((one) => join(name, one)).find((one) => existsSync(one));
  return new UsageError(
    `${name} is a folder; name the file of the application${file === undefined ? '' : `: ${file}`}`,
  );
}

function noApplication(name: string, given: unknown, module: Readonly<Record<string, unknown>>): UsageError {
  const [other] = Object.entries(module).find(([, value]) => isApplication(value)) ?? [];
  if (other !== undefined)
    return new UsageError(`${name} exports its application as ${other}; write: export const application = …`);
  const text =
    given === undefined ? 'exports no application' : `exports as its application ${describe(given)}`;
  return new UsageError(`${name} ${text}; write: export const application = createApplication('name')`);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise, which nobody awaited';
  return typeof value === 'object' ? 'another object' : `a ${typeof value}`;
}

function isApplication(value: unknown): value is Application {
  return typeof value === 'object' && value !== null && 'listen' in value && 'table' in value;
}
