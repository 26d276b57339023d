import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { tooManyHeaders } from '../server/too-many-headers.ts';
import { problemText } from './answer.ts';
import { endGently } from './end-gently.ts';

/** What node's parser says, in the words of RFC 9110; anything else is a malformed request. */
const statuses: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large'],
  TOO_MANY_HEADERS: [431, tooManyHeaders],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
};

/**
 * Answers what is not even a request, where node would send an empty page.
 *
 * @param lines headers of every answer
 * @returns the status; undefined when there was nobody to answer, or an answer under way
 */
export function answerClientError(
  { code = '' }: NodeJS.ErrnoException,
  socket: Duplex,
  requestId: string,
  lines: readonly string[],
): number | undefined {
  // Node keeps the answer under way there; a second one in the middle of it would be read as its body.
  const { _httpMessage: current } = socket as Duplex & {
    _httpMessage?: ServerResponse | null;
  };
  // The parser complains again about each further chunk.
  if (socket.writableEnded) return undefined;
  if (current?.req.complete && !current.headersSent && socket.writable) {
    // The bytes behind a whole request are no reason to leave it without its own answer, which is the last then.
    current.shouldKeepAlive = false;
    return undefined;
  }
  if (current?.writableEnded && socket.writable && code !== 'ECONNRESET') {
    // An answer that was given at once is whole, and may still be on its way.
    endGently(socket);
    return undefined;
  }
  if (code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
    socket.destroy();
    return undefined;
  }
  const [status, detail] = statuses[code] ?? [400, 'the request is malformed'];
  const text = problemText(status, { detail }, requestId);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `x-request-id: ${requestId}`,
    ...lines,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  endGently(socket);
  return status;
}
