import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '@waymark/contract/declaring';
import { projectFolder } from './project-folder.ts';

/** What applications import of ours. */
const ours = ['server', 'client', 'contract', 'device-hub', 'embed', 'model-simulator', 'redis'].map(
  (name) => `@waymark/${name}`,
);

/** Slips that a name may have: most of a name with a scope is the scope, which says nothing. */
const mostSlips = 2;

/**
 * The package that a missing one was probably meant to be: one of ours, or one that the project of a file depends on. None
 * where it depends on the missing one itself.
 */
export function misspeltPackage(name: string, importer: string): string | undefined {
  const known = [...ours, ...dependenciesOf(projectFolder(importer))];
  return known.includes(name) ? undefined : nearest(name, known, mostSlips);
}

function dependenciesOf(folder: string): readonly string[] {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    return [manifest.dependencies, manifest.devDependencies].flatMap((named) => Object.keys(named ?? {}));
  } catch {
    // None, or none that can be read, which is another command's to say.
    return [];
  }
}

interface Manifest {
  readonly dependencies?: object;
  readonly devDependencies?: object;
}
