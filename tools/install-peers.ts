// Installs the programs of others that tests are held against, each in a folder with a lock file of its own. CI does it once,
// before tests that need them run side by side.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installFolder } from './lib/install.ts';
import { repositoryRoot } from './lib/workspace.ts';

for (const file of globSync(
  ['e2e/{data-peers,mcp-peers,model-peers,openapi-peers,conformance/*}/package-lock.json'],
  {
    cwd: repositoryRoot,
  },
))
  installFolder(join(repositoryRoot, dirname(file)));
