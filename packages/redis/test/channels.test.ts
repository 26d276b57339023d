import { expect, it } from 'vitest';
import { type Channel, Channels } from '../src/channels.ts';

it('is ready when Redis listens to it, not to one of the same device that everybody has left since', async () => {
  const opened: Channel[] = [];
  const channels = new Channels({
    opened: (channel) => opened.push(channel),
    closed: () => {},
    unreachable: () => new Error('it does not answer'),
  });
  const ready: string[] = [];
  channels.subscribe('door', () => {}).cancel();
  void channels.subscribe('door', () => {}).ready.then(() => ready.push('second'));
  const [left, second] = opened;
  if (!left || !second) throw new Error('none was opened');
  channels.listen(left);
  await Promise.resolve();
  expect([channels.of('door')?.listening, ready]).toEqual([false, []]);
  channels.listen(second);
  await Promise.resolve();
  expect([channels.of('door')?.listening, ready]).toEqual([true, ['second']]);
  channels.clear();
});
