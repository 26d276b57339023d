import { setTimeout as after } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { application } from './serve.ts';

it('runs in as many servers of one process as there are, and leaves no listener behind', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const before = process.listenerCount('unhandledRejection');
  const first = await application().listen();
  const withOne = process.listenerCount('unhandledRejection');
  const running = await Promise.all(Array.from({ length: 12 }, () => application().listen()));
  expect(process.listenerCount('unhandledRejection')).toBe(withOne);
  await Promise.all([first, ...running].map(({ close }) => close()));
  // A warning is told in the next turn.
  await after(1);
  expect(warnings).toEqual([]);
  // A server of another test may have had the one listener, and may have left since.
  expect(process.listenerCount('unhandledRejection')).toBeLessThanOrEqual(before);
});
