import { HTTPError } from '@waymark/contract';

/** What keeps a file from being read for a while, and is no fault of the program. */
const passing = new Set(['EMFILE', 'ENFILE', 'EIO']);

/** What went wrong with a file, as its caller may read it: 503 what passes; all else as it is. */
export function toFileFailure(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || !passing.has(code)) return error;
  return new HTTPError(503, 'the file cannot be read at present', {
    cause: error,
    headers: { 'retry-after': '1' },
  });
}
