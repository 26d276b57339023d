import { syncBuiltinESMExports } from 'node:module';
import type { CallSite } from '@waymark/contract/declaring';
import { exitCodes } from '../output/print-failure.ts';
import { toPlaceText } from './module-error.ts';
import { firstFrame } from './source-place.ts';

/** What node ends with when there is nothing left to do, and a module still waits. */
const unsettled = 13;

/**
 * Does work that runs the code of an application; should the process end before the work does, it says why on stderr and
 * ends as a failure. A code that the application ends it with stays, unless that is 0.
 */
export async function watchExit<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { exit } = process;
  let calledAt: CallSite | undefined;
  const exitWatched: typeof exit = (...code) => {
    const here = { stack: '' };
    Error.captureStackTrace(here, exitWatched);
    calledAt = firstFrame(here.stack);
    // Called without a code it takes the one that is set, called with undefined it does not.
    return exit.apply(process, code);
  };
  const tell = (code: number): void => {
    // Node ends with 13 and names a file of ours.
    if (code === unsettled && calledAt === undefined)
      console.error(`${name} does not come to its end: something that it awaits never settles`);
    else if (code === 0 || calledAt !== undefined)
      console.error(
        `${calledAt === undefined ? '' : `${toPlaceText(calledAt)}  `}${name} ends the process while it is loaded, with process.exit(${code})`,
      );
    else return;
    if (code === 0 || code === unsettled) process.exitCode = exitCodes.failure;
  };
  const setExit = (to: typeof exit): void => {
    process.exit = to;
    // Whoever imports it by name has the one of the last time that all names were looked up.
    syncBuiltinESMExports();
  };
  setExit(exitWatched);
  process.once('exit', tell);
  try {
    return await work();
  } finally {
    process.off('exit', tell);
    setExit(exit);
  }
}
