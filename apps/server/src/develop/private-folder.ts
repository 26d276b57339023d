import { chmodSync, mkdirSync, statSync } from 'node:fs';

/** Makes a folder that nobody but its owner may look into; one of ours that is there becomes such a folder. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (statSync(path).uid === process.getuid?.()) chmodSync(path, 0o700);
}
