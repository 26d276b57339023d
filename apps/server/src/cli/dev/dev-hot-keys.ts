import { existsSync } from 'node:fs';
import { consoleLink } from '../../develop/console-link.ts';
import { openTarget } from '../call/target.ts';
import type { Address } from '../commands/dev-server.ts';
import { readVariables } from '../load/read-variables.ts';
import type { HotKey } from '../terminal/hot-keys.ts';
import { openInBrowser } from '../terminal/open-in-browser.ts';
import { findTourKey } from '../tour/find-tour-key.ts';
import { formatTour, tourOf } from '../tour/tour-of.ts';
import { standIns } from './stand-ins.ts';

/** A server that keys act on. */
export interface HotServer {
  readonly at: Address | undefined;
  restart?(): void;
}

/** The keys that `waymark dev` hears. @param file of the application */
export function devHotKeys(server: HotServer, file: string): readonly HotKey[] {
  const { restart } = server;
  return [
    ...(restart ? [{ key: 'r', says: 'restart', press: () => restart.call(server) }] : []),
    { key: 'o', says: 'open the console in a browser', press: () => void open(server, file) },
    { key: 'k', says: 'the keys there are, and where', press: () => console.log(listKeys(file)) },
    { key: 't', says: 'a tour: commands to try', press: () => void showTour(server, file) },
    { key: 'q', says: 'quit', press: () => void process.kill(process.pid, 'SIGINT') },
  ];
}

/** The console, signed in with a key that was made for development; the application, where it has none. */
async function open({ at }: HotServer, file: string): Promise<void> {
  if (!at) {
    console.log('nothing serves now');
    return;
  }
  const { keysFile = '' } = standIns(file);
  const address = (await consoleLink({ ...at, keys: Object.values(readVariables(keysFile)) })) ?? at.url;
  openInBrowser(address, () => console.log(`this machine opens no browser; the address is ${address}`));
}

/** By name alone: what stands on a screen is seen by many. */
function listKeys(file: string): string {
  const { keysFile } = standIns(file);
  if (keysFile === undefined || !existsSync(keysFile))
    return 'no keys were made: each declared one is in its variable, or there is none';
  const names = Object.keys(readVariables(keysFile));
  return [`${keysFile} has`, ...names.map((name) => `  ${name}`), `cat ${keysFile} shows them`].join('\n');
}

async function showTour({ at }: HotServer, file: string): Promise<void> {
  if (!at) {
    console.log('nothing serves now');
    return;
  }
  const target = await openTarget({ ...at, headers: {} });
  try {
    console.log(formatTour(await tourOf(target, await findTourKey(target, file))));
  } catch (error) {
    console.log((error as Error).message);
  } finally {
    await target.close();
  }
}
