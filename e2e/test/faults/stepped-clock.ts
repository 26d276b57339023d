import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { compileLibrary } from './compile-library.ts';

/** The clock on the wall of a program, which can be set while it runs. */
export interface SteppedClock {
  /** Variables for the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets it: by so many seconds it is ahead of the machine's from now on. */
  set(seconds: number): void;
  /** Whether it ever was. */
  readonly wasSet: boolean;
  close(): void;
}

/** Makes one; undefined where there is no compiler or the system is not Linux. */
export function steppedClock(folder: string): SteppedClock | undefined {
  const library = compileLibrary(folder, 'step-clock.c');
  if (library === undefined) return undefined;
  const control = join(folder, 'clock-by');
  writeFileSync(control, Buffer.alloc(8));
  const file = openSync(control, 'r+');
  let wasSet = false;
  return {
    get wasSet() {
      return wasSet;
    },
    env: { LD_PRELOAD: library, CLOCK_CONTROL: control },
    set(seconds) {
      wasSet = true;
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(seconds));
      writeSync(file, bytes, 0, 8, 0);
    },
    close: () => closeSync(file),
  };
}
