import { describe, expect, it } from 'vitest';
import { yardClient } from './device-project.ts';
import { states } from './states.ts';

const connect = yardClient();

describe('a socket of a generated client', () => {
  it('asks for a token before each attempt, and tries again when there is none to be had', async () => {
    const tokens = ['one', undefined, 'two &'];
    const token = async (): Promise<string> => {
      const next = tokens.shift();
      if (next === undefined) throw new Error('offline');
      return next;
    };
    const { door, network } = connect({ token });
    const { onState, until } = states();
    const publisher = door.publish({ onState });
    const socket = await network.next();
    expect(socket.url).toMatch(/[?&]access_token=one$/);
    socket.accept();
    socket.drop();
    await until('waiting');
    const again = await network.next();
    expect(again.url).toMatch(/[?&]access_token=two\+%26$/);
    publisher.close();
  });
});
