import type { HotKey } from '../src/cli/terminal/hot-keys.ts';
import { openInBrowser } from '../src/cli/terminal/open-in-browser.ts';
import { keyRoles } from './key-roles.ts';

/** What the keys show and open. */
interface HotParts {
  tour(): string;
  /** A link to the console that signs in. */
  console(): Promise<string | undefined>;
  /** Of the keys for development, if they are from one. */
  readonly file: string | undefined;
}

/** The keys that the reference application hears. */
export function hotKeys(url: string, { tour, console: toConsole, file }: HotParts): readonly HotKey[] {
  const opens = (address: string): void =>
    openInBrowser(address, () => console.log(`this machine opens no browser; the address is ${address}`));
  const listed = Object.entries(keyRoles).map(([name, role]) => `  ${name.padEnd(12)} ${role}`);
  const from = file === undefined ? 'The keys are those of the environment:' : `The keys are in ${file}:`;
  return [
    {
      key: 'o',
      says: 'open the console in a browser',
      press: () => void toConsole().then((link) => opens(link ?? url)),
    },
    { key: 'b', says: 'open the board in a browser', press: () => opens(`${url}/board`) },
    {
      key: 'k',
      says: 'the keys, and what each may do',
      press: () => console.log([from, ...listed].join('\n')),
    },
    { key: 't', says: 'a tour: commands to try', press: () => console.log(tour()) },
    { key: 'q', says: 'quit', press: () => void process.kill(process.pid, 'SIGINT') },
  ];
}
