import { describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../src/index.ts';
import { readSignal } from '../src/read-signal.ts';

/** What a caller is asked for, and how often. */
function caller() {
  const controller = new AbortController();
  let looks = 0;
  return {
    controller,
    looks: () => looks,
    get signal() {
      looks++;
      return controller.signal;
    },
  };
}

const of = (kind: SqlDatabase['kind']) => ({ kind }) as SqlDatabase;

describe('readSignal', () => {
  it('has no signal made for a database of this machine', () => {
    for (const kind of ['file', 'memory'] as const) {
      const context = caller();
      expect(readSignal(of(kind), context)).toBeUndefined();
      expect(context.looks()).toBe(0);
    }
  });

  it('lets reading from a server be given up', () => {
    const context = caller();
    expect(readSignal(of('remote'), context)).toBe(context.controller.signal);
  });
});
