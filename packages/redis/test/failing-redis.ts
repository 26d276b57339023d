import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How a question to Redis fails: nobody is there for a second, the answer breaks off, none comes, Redis refuses it, or what
 * comes is none of its answers.
 */
export const failures = ['refused', 'reset', 'silence', 'error', 'junk'] as const;
export type Failure = (typeof failures)[number];

/** The way to a Redis, on which one question fails. */
export interface FailingWay {
  readonly url: string;
  /** Whether it has. */
  readonly hasFailed: boolean;
  /** Counts what is asked from now on, over all connections. */
  begin(): void;
  close(): void;
}

/** Opens one. @param nth of the questions after `begin`, from 1 */
export async function openWay(port: number, failure: Failure, nth: number): Promise<FailingWay> {
  const sockets = new Set<Socket>();
  let count = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let fails = false;
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.on('data', (asked) => {
      // Who keeps silent does so for as long as the connection is there.
      if (fails && failure === 'silence') return;
      if (++count === nth) {
        fails = true;
        hasFailed = true;
        if (failure === 'refused') void leave();
        if (failure === 'refused' || failure === 'silence') return;
      }
      far.write(asked);
    });
    far.on('data', (answer) => {
      if (!fails) near.write(answer);
      else if (failure === 'reset') near.write(answer.subarray(0, 1), () => near.resetAndDestroy());
      else if (failure !== 'silence') {
        fails = false;
        // Where much else is to do, answers come together: one question fails.
        const others = answer.subarray(endOfAnswer(answer));
        const told = failure === 'error' ? '-ERR no\r\n' : '\u0000 whatever this is\r\n';
        near.write(Buffer.concat([Buffer.from(told), others]));
      }
    });
  });
  const listen = (at: number): Promise<unknown> => once(server.listen(at, '127.0.0.1'), 'listening');
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  const leave = async (): Promise<void> => {
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await sleep(1_000);
    await listen(own);
  };
  return {
    url: `redis://127.0.0.1:${own}`,
    get hasFailed() {
      return hasFailed;
    },
    begin() {
      count = 0;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Where the first answer of Redis ends, or a part of one that begins there. */
function endOfAnswer(answers: Buffer, start = 0): number {
  const lineEnd = answers.indexOf('\r\n', start) + 2;
  const [kind, count] = [
    answers.toString('latin1', start, start + 1),
    answers.toString('latin1', start + 1, lineEnd),
  ];
  if (kind === '$') return lineEnd + (Number(count) < 0 ? 0 : Number(count) + 2);
  let end = lineEnd;
  if (kind === '*') for (let part = 0; part < Number(count); part++) end = endOfAnswer(answers, end);
  return end;
}
