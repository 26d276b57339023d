import type { IncomingMessage } from 'node:http';

/** The declared length: zero when there is no body, undefined when it is not told. */
export function contentLengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/** Whether the client holds its body back until it is told to go on. */
export function awaitsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}
