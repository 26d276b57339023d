import { exitCodes } from './output/print-failure.ts';
import { run } from './run.ts';

/**
 * Runs the command line and ends the process with its exit code. Output that cannot be written, to a full disk or a
 * closed pipe, makes a command fail; a server keeps running.
 */
export async function main(argv: readonly string[]): Promise<void> {
  let isLost = false;
  const lose = (error: NodeJS.ErrnoException): void => {
    if (isLost) return;
    isLost = true;
    console.error(`cannot write to standard output: ${reason(error)}`);
  };
  process.stdout.on('error', lose);
  // Nobody is left who could be told.
  process.stderr.on('error', () => {});
  const code = await run(argv);
  // An application that was only looked at may have left timers or connections behind. What was written goes out first.
  process.stdout.write('', (error) => {
    if (error) lose(error);
    // The event of an error comes after the callbacks.
    setImmediate(() => process.exit(isLost && code === 0 ? exitCodes.failure : code));
  });
}

function reason({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC') return 'there is no space left';
  if (code === 'EPIPE') return 'nobody reads it any more';
  return message;
}
