// Packs every package as a registry would get it, into a folder: `npm run pack [-- <folder>]`. `waymark new --source` takes
// them from there.
import { resolve } from 'node:path';
import { packWorkspaces } from './lib/pack-workspaces.ts';
import { readWorkspaces, repositoryRoot } from './lib/workspace.ts';

const [given = 'packed'] = process.argv.slice(2);
const published = readWorkspaces(repositoryRoot).filter(({ manifest }) => manifest.private !== true);
const packed = await packWorkspaces(published, resolve(given));
console.log(`${packed.length} packages are in ${given}. Next: npx waymark new ../my-app --source ${given}`);
