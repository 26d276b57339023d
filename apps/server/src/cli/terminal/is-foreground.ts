import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether the terminal is this process's to read: one that runs in the background is stopped by the kernel for trying.
 */
export function isForeground(): boolean {
  try {
    if (process.platform === 'linux') return ownsTerminal(readFileSync('/proc/self/stat', 'utf8'));
    if (process.platform === 'win32') return true;
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return state.includes('+');
  } catch {
    return false;
  }
}

/** By `proc(5)`: behind the name in brackets stand state, ppid, pgrp, session, tty_nr and tpgid. */
export function ownsTerminal(stat: string): boolean {
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group !== undefined && group === foreground;
}
