// Builds what runs of the packages, as far as their sources have changed: `npm run bring-up`.
import { bringUp } from './lib/bring-up.ts';
import { repositoryRoot } from './lib/workspace.ts';

await bringUp(repositoryRoot, (line) => console.log(line));
