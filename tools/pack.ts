// Packs every package as a registry would get it, into a folder: `npm run pack [-- <folder>]`. `waymark new --source` takes
// them from there.
import { relative, resolve } from 'node:path';
import { packWorkspaces } from './lib/pack-workspaces.ts';
import { readWorkspaces, repositoryRoot } from './lib/workspace.ts';

const [given = 'packed'] = process.argv.slice(2);
const folder = resolve(given);
const published = readWorkspaces(repositoryRoot).filter(({ manifest }) => manifest.private !== true);
const packed = await packWorkspaces(published, folder);
const shown = relative(process.cwd(), folder);
console.log(`${packed.length} packages are in ${shown}. Next: npx waymark new ../my-app --source ${shown}`);
