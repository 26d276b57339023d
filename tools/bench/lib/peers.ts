import { join } from 'node:path';
import { installFolder } from '../../lib/install.ts';

/** Where the servers and tools live that Waymark is compared to: a package of its own, in no workspace. */
const folder = join(import.meta.dirname, '../http/peers');

/** The path of a program beside the peers, which are installed when somebody asks for one the first time. */
export function peerFile(name: string): string {
  installFolder(folder);
  return join(folder, name);
}
