import { readFileSync } from 'node:fs';

/** The kernel counts these in hundredths of a second, whatever the machine. */
const ticksPerSecond = 100;

/**
 * Processor time of children, told when one has ended: a child's time, with that of its own children, is added to its
 * parent's account only then, so what came since the last look is that child's alone, whatever runs beside it.
 */
export class ChildCpu {
  #told = total();

  /** Seconds of processor time of the child that has just ended; `undefined` where the system does not tell. */
  ofJustEnded(): number | undefined {
    const now = total();
    if (now === undefined || this.#told === undefined) return undefined;
    const seconds = now - this.#told;
    this.#told = now;
    return seconds;
  }
}

/** Of all children that have ended. Linux alone has `/proc`. */
function total(): number | undefined {
  let stat: string;
  try {
    stat = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return undefined;
  }
  // The second field is a name in brackets that may hold anything: fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}
