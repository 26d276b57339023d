import { describe, expect, it } from 'vitest';
import { yardClient } from './device-project.ts';

const connect = yardClient();

/** Told of each state; `next` gives those since it was last asked, once there is one. */
function states() {
  const seen: { readonly state: string; readonly error: Error | undefined }[] = [];
  let wake = (): void => {};
  return {
    seen,
    onState: (state: string, error?: Error): void => {
      seen.push({ state, error });
      wake();
    },
    async until(state: string) {
      for (;;) {
        const found = seen.find((one) => one.state === state);
        if (found) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

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
    expect(socket.url).toMatch(/\?access_token=one$/);
    socket.accept();
    socket.drop();
    await until('waiting');
    const again = await network.next();
    expect(again.url).toMatch(/\?access_token=two\+%26$/);
    publisher.close();
  });
});
