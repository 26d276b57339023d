import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pinned } from '../lib/cores.ts';
import { nextMessage } from '../lib/next-message.ts';

/** A program in a process of its own, on one core, that answers what it is asked in turn. */
export interface Child<Answer> {
  /** What it said once it was ready. */
  readonly ready: Answer;
  ask(question: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/**
 * Starts a program with the options of `BENCH_NODE_OPTIONS`. What it writes to standard output goes nowhere.
 *
 * @param program absolute path of the file
 * @throws {Error} when it ends before it is ready
 */
export async function startChild<Answer>(
  core: number,
  program: string,
  args: readonly string[],
): Promise<Child<Answer>> {
  const options = process.env['BENCH_NODE_OPTIONS']?.split(' ') ?? [];
  const node = [process.execPath, '--conditions=@waymark/source', '--disable-warning=DeprecationWarning'];
  const [command = '', ...rest] = pinned(core, [...node, ...options, program, ...args]);
  const child = spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ready = await nextMessage<Answer>(child);
  return {
    ready,
    ask: (question) => {
      const answer = nextMessage<Answer>(child);
      child.send({ question });
      return answer;
    },
    stop: async () => {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}

/** The other side, in the program itself: says that it is ready, then answers until nobody asks any more. */
export function serveParent<Answer>(
  ready: Answer,
  answer: (question: never) => Answer | Promise<Answer>,
): void {
  const tell = (message: Answer): void => void process.send?.(message);
  const reply = async (question: never): Promise<void> => tell(await answer(question));
  // What is thrown ends the process, and whoever asked hears of that.
  process.on('message', ({ question }: { readonly question: never }) => void reply(question));
  process.on('disconnect', () => process.exit());
  tell(ready);
}
