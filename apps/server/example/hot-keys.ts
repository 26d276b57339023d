import type { HotKey } from '../src/cli/terminal/hot-keys.ts';
import { openInBrowser } from '../src/cli/terminal/open-in-browser.ts';
import { keyRoles } from './key-roles.ts';

/** The keys that the reference application hears. @param file of the keys for development, if they are from one */
export function hotKeys(url: string, tour: () => string, file: string | undefined): readonly HotKey[] {
  const board = `${url}/board`;
  const opens = (): void =>
    openInBrowser(board, () => console.log(`this machine opens no browser; the address is ${board}`));
  const listed = Object.entries(keyRoles).map(([name, role]) => `  ${name.padEnd(12)} ${role}`);
  const from = file === undefined ? 'The keys are those of the environment:' : `The keys are in ${file}:`;
  return [
    { key: 'o', says: 'open the board in a browser', press: opens },
    {
      key: 'k',
      says: 'the keys, and what each may do',
      press: () => console.log([from, ...listed].join('\n')),
    },
    { key: 't', says: 'a tour: commands to try', press: () => console.log(tour()) },
    { key: 'q', says: 'quit', press: () => void process.kill(process.pid, 'SIGINT') },
  ];
}
