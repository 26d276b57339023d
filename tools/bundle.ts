// Writes what a published package runs, in the folder of the package, behind the compiler, which writes the declarations.
import { relative } from 'node:path';
import { bundlePackage } from './lib/bundle-package.ts';
import { repositoryRoot } from './lib/workspace.ts';

await bundlePackage(repositoryRoot, relative(repositoryRoot, process.cwd()).replaceAll('\\', '/'));
