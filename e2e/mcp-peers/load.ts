import { join } from 'node:path';
import { installFolder } from '../../tools/lib/install.ts';
import { readJson } from '../../tools/lib/workspace.ts';

/** The official Inspector, which the conformance suites use too. */
export const inspectorFolder = join(import.meta.dirname, '../conformance/inspector');

/** Installs the clients and the authorization server, unless they are there. */
export function installPeers(): void {
  installFolder(import.meta.dirname);
  installFolder(inspectorFolder);
}

/**
 * Loads a package of this folder. It is not there when the types are checked, so whoever loads one says which of its
 * members are used.
 */
export async function load<Module>(name: string): Promise<Module> {
  return (await import(name)) as Module;
}

/** The version of a client that is wanted here. */
export function versionOf(name: string): string | undefined {
  const manifests = [import.meta.dirname, inspectorFolder].map((folder) =>
    readJson<{ readonly dependencies: Readonly<Record<string, string>> }>(join(folder, 'package.json')),
  );
  return manifests.map(({ dependencies }) => dependencies[name]).find((version) => version !== undefined);
}
