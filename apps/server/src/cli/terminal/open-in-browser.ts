import { spawn } from 'node:child_process';

/** What opens an address, by platform; on all others it is `xdg-open`. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser of whoever sits there. @param failed told where the machine has none */
export function openInBrowser(url: string, failed: () => void): void {
  const [command, ...argv] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...argv, url], { detached: true, stdio: 'ignore' });
  child.once('error', failed);
  child.once('exit', (code) => {
    if (code !== 0) failed();
  });
  child.unref();
}
