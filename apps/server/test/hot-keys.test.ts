import { EventEmitter } from 'node:events';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type HotKey, listenForKeys, type Terminal } from '../src/cli/terminal/hot-keys.ts';
import { ownsTerminal } from '../src/cli/terminal/is-foreground.ts';

/** A terminal that is typed into, and remembers how it was set. */
function terminal(isTTY = true) {
  const raw: boolean[] = [];
  const methods = {
    isTTY,
    destroyed: false,
    setRawMode: (on: boolean) => void raw.push(on),
    unref: () => {},
    pause: () => {},
  };
  const input = Object.assign(new EventEmitter(), methods);
  return { raw, input: input as unknown as Terminal, type: (text: string) => input.emit('data', text) };
}

function listen(keys: readonly HotKey[], { isTTY = true, foreground = true } = {}) {
  const typed = terminal(isTTY);
  const said: string[] = [];
  const signals: NodeJS.Signals[] = [];
  const listening = listenForKeys(keys, {
    input: typed.input,
    say: (text) => said.push(text),
    foreground: () => foreground,
    signalGroup: (signal) => {
      signals.push(signal);
      return true;
    },
  });
  onTestFinished(() => listening?.close());
  return { ...typed, said, signals, listening };
}

describe('keys of a terminal', () => {
  it('do what they say, in either case, and h lists them', () => {
    verifies('cli.hot-keys');
    const press = vi.fn<() => void>();
    const { type, said } = listen([{ key: 'r', says: 'restart', press }]);
    for (const key of ['r', 'R', 'x', 'h']) type(key);
    expect(press).toHaveBeenCalledTimes(2);
    expect(said).toEqual(['  r  restart\n  h  help']);
  });

  it('are no keys where several come at once: an arrow, or what was pasted', () => {
    const press = vi.fn<() => void>();
    const { type } = listen([{ key: 'a', says: 'anything', press }]);
    for (const text of ['\u001b[A', 'a line with an a in it\n']) type(text);
    expect(press).not.toHaveBeenCalled();
  });

  it('go on to everything in the foreground where they are signals', () => {
    verifies('cli.hot-keys');
    const { type, signals, raw } = listen([]);
    type('\u0003');
    expect([signals, raw]).toEqual([['SIGINT'], [true]]);
    type('\u001a');
    expect([signals, raw]).toEqual([
      ['SIGINT', 'SIGTSTP'],
      [true, false],
    ]);
    // As after `fg`.
    process.emit('SIGCONT', 'SIGCONT');
    expect(raw).toEqual([true, false, true]);
    type('\u001c');
    expect([signals.at(-1), raw.at(-1)]).toEqual(['SIGQUIT', false]);
  });

  it('leave the terminal as it was', () => {
    const before = process.listenerCount('exit');
    const { listening, raw, type, signals } = listen([]);
    listening?.close();
    type('\u0003');
    expect([raw, signals, process.listenerCount('exit')]).toEqual([[true, false], [], before]);
  });

  it.each([
    ['nobody sits at', { isTTY: false }],
    ['another program has', { foreground: false }],
  ])('are not read of a terminal that %s', (_, options) => {
    verifies('cli.hot-keys');
    const { listening, raw } = listen([], options);
    expect([listening, raw]).toEqual([undefined, []]);
  });
});

it.each([
  ['4242 (node) S 1 4242 4200 34816 4242 4194304 1', true],
  ['4242 (a) b) S 1 4242 4200 34816 4200 4194304 1', false],
  ['', false],
])('a process owns its terminal by what the kernel says: %s', (stat, owns) => {
  expect(ownsTerminal(stat)).toBe(owns);
});
