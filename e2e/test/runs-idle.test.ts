import { sqlRunStore } from '@waymark/data';
import { afterEach, describe, expect, it } from 'vitest';
import { type Engine, openState, startEngine } from './runs/engine.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop();
});

/** Runs what an engine asked for by the clock, when a test says so. */
function handClock() {
  const tasks = new Set<{ readonly ms: number; readonly task: () => unknown }>();
  return {
    after: (ms: number, task: () => unknown) => {
      const entry = { ms, task };
      tasks.add(entry);
      return () => void tasks.delete(entry);
    },
    async second() {
      for (const entry of [...tasks].filter(({ ms }) => ms <= 1_000)) {
        tasks.delete(entry);
        await entry.task();
      }
    },
  };
}

describe('an engine whose runs all wait, or have ended', () => {
  it('asks its database for one thing each second', async () => {
    const { database } = await openState();
    const clock = handClock();
    engines.push(await startEngine(database, () => [], { after: clock.after }));
    // What it looks at when it starts is nobody's wait.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    const [read, write] = [database.read.bind(database), database.write.bind(database)];
    const asked: string[] = [];
    database.read = (statements, signal) => {
      asked.push(...statements.map(({ sql }) => sql));
      return read(statements, signal);
    };
    database.write = (statements, ...more) => {
      asked.push(...statements.map(({ sql }) => sql));
      return write(statements, ...more);
    };
    for (const seconds of [1, 2, 3]) {
      await clock.second();
      expect(asked).toHaveLength(seconds);
    }
    const nothing = { roots: false, approvals: false, waits: false };
    expect(await sqlRunStore(database).due('somebody')).toEqual(nothing);
  });
});
