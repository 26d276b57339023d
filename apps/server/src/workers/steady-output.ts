import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/**
 * An output of this process that outlives its failures. Node gives up a file for good when a disk was full once; a log
 * goes on when there is space again, and what comes meanwhile is lost.
 *
 * @param fd 1 or 2
 */
export function steadyOutput(fd: 1 | 2): Writable {
  if (!fstatSync(fd).isFile()) return fd === 1 ? process.stdout : process.stderr;
  return new Writable({
    write(lines: Buffer, _, done) {
      try {
        writeSync(fd, lines);
      } catch {
        // A log must neither stop its server nor keep it.
      }
      done();
    },
  });
}
