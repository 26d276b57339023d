import type { ReadStream } from 'node:tty';
import { isForeground } from './is-foreground.ts';

/** What one key does. */
export interface HotKey {
  readonly key: string;
  /** In the list that `h` shows: `restart`. */
  readonly says: string;
  press(): void;
}

/** A terminal that hears single keys. */
export interface HotKeys {
  /** Gives the terminal back. */
  close(): void;
}

/** What is needed of a terminal's input. */
export type Terminal = Pick<
  ReadStream,
  'isTTY' | 'destroyed' | 'setRawMode' | 'on' | 'off' | 'unref' | 'pause'
>;

/** Where keys are heard; the terminal of this process. */
export interface HotKeyOptions {
  readonly input?: Terminal;
  readonly say?: (text: string) => void;
  readonly foreground?: () => boolean;
  /** Sends a signal to everything that the terminal runs in the foreground. */
  readonly signalGroup?: (signal: NodeJS.Signals) => void;
}

/** At the end of the first screen. */
export const helpHint = 'press h for help';

const interrupt = '\u0003';
const suspend = '\u001a';
const quit = '\u001c';

/**
 * Hears single keys where somebody sits at a terminal; `h` lists them. Ctrl-C, Ctrl-Z and Ctrl-\ stay what they are: they go to
 * everything that the terminal runs in the foreground. Without a terminal, or in the background, nothing is read.
 */
export function listenForKeys(
  keys: readonly HotKey[],
  {
    input = process.stdin,
    say = (text) => console.log(text),
    foreground = isForeground,
    signalGroup = (signal) => process.kill(0, signal),
  }: HotKeyOptions = {},
): HotKeys | undefined {
  if (!input.isTTY || !foreground()) return undefined;
  const help: HotKey = {
    key: 'h',
    says: 'help',
    press: () => say([...keys, help].map(({ key, says }) => `  ${key}  ${says}`).join('\n')),
  };
  const known = new Map([...keys, help].map((one) => [one.key, one]));
  const setRaw = (raw: boolean): void => {
    // It may be gone: a terminal that was closed.
    if (!input.destroyed) input.setRawMode(raw);
  };
  const giveBack = (): void => setRaw(false);
  const takeAgain = (): void => setRaw(true);
  const onSignalKey = (signal: NodeJS.Signals): void => {
    giveBack();
    signalGroup(signal);
  };
  const onData = (data: Buffer | string): void => {
    // What is pasted, and what an arrow key sends, comes as several at once.
    const key = String(data);
    if (key.includes(interrupt)) signalGroup('SIGINT');
    else if (key === suspend) onSignalKey('SIGTSTP');
    else if (key === quit) onSignalKey('SIGQUIT');
    else known.get(key.toLowerCase())?.press();
  };
  setRaw(true);
  input.on('data', onData);
  process.once('exit', giveBack).on('SIGCONT', takeAgain);
  // It keeps no process alive that has nothing else to do.
  input.unref();
  return {
    close() {
      input.off('data', onData);
      process.off('exit', giveBack).off('SIGCONT', takeAgain);
      giveBack();
      input.pause();
    },
  };
}
