import type { Socket } from 'node:net';

/** The largest interim answer that is passed over, in bytes: as much as all headers of an answer may have. */
const maxBytes = 16_384;

/** Behind 101 another protocol begins. */
const statusLine = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
/** So much tells it from any other. */
const statusLineLength = 'HTTP/1.1 100 '.length;

const requestLine = /^[A-Z]+ \S* HTTP\/1\.1\r\n/;

/**
 * Takes interim answers (1xx) off what an upstream sends. Undici ends the connection at a `100 Continue`, while a client
 * passes over any number of them that it did not ask for (RFC 9110, 15.2), and some servers send them unasked.
 *
 * Bodies are not looked at: only what comes first behind the head of a request can be one.
 */
export function withoutInterim<S extends Socket>(socket: S): S {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  let begins = false;
  let held: Buffer | undefined;

  const next = (size?: number): Buffer | null => {
    const chunk = read(size) as Buffer | null;
    if (!begins || chunk === null) return chunk;
    const bytes = held ? Buffer.concat([held, chunk]) : chunk;
    const rest = behindInterim(bytes);
    held = rest === undefined ? bytes : undefined;
    if (rest === undefined || rest.length === 0) return null;
    begins = false;
    return rest;
  };
  socket.read = next;
  // Undici writes heads as text and bodies as bytes, and one request at a time.
  socket.write = (chunk: unknown, ...more: []) => {
    if (typeof chunk === 'string' && requestLine.test(chunk)) begins = true;
    return write(chunk as string, ...more);
  };
  return socket;
}

/** What is no interim answer: undefined where that cannot be said yet, empty where nothing else came. */
function behindInterim(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  while (rest.length > 0) {
    const start = rest.toString('latin1', 0, statusLineLength);
    if (rest.length < statusLineLength) return 'HTTP/1.'.startsWith(start.slice(0, 7)) ? undefined : rest;
    if (!statusLine.test(start)) return rest;
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return rest.length > maxBytes ? rest : undefined;
    rest = rest.subarray(end + 4);
  }
  return rest;
}
