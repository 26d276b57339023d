import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a repository of a folder, where there is none and git is there. @returns whether there is one now that was not there before */
export function initialiseGit(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return false;
  try {
    // A folder inside a repository belongs to that one.
    execFileSync('git', ['-C', folder, 'rev-parse', '--git-dir'], { stdio: 'ignore' });
    return false;
  } catch {
    // No repository, or no git.
  }
  try {
    execFileSync('git', ['init', '--quiet', folder], { stdio: 'ignore' });
    return true;
  } catch {
    // Without git everything else still works.
    return false;
  }
}
