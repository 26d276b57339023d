import type { Socket } from 'node:net';

/** The largest interim answer that is passed over, in bytes: as much as all headers of an answer may have. */
const maxBytes = 16_384;
/** All of them together in front of one answer. */
const maxTotalBytes = 262_144;

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
  let passedOver = 0;

  const next = (size?: number): Buffer | null => {
    const chunk = read(size) as Buffer | null;
    if (!begins || chunk === null) return chunk;
    const bytes = held ? Buffer.concat([held, chunk]) : chunk;
    const { rest, isKnown } = behindInterim(bytes);
    passedOver += bytes.length - rest.length;
    held = isKnown ? undefined : rest;
    if (passedOver > maxTotalBytes) {
      socket.destroy(new Error(`more than ${maxTotalBytes} bytes of interim answers`));
      return null;
    }
    if (!isKnown || rest.length === 0) return null;
    begins = false;
    return rest;
  };
  socket.read = next;
  // Undici writes heads as text and bodies as bytes, and one request at a time.
  socket.write = (chunk: unknown, ...more: []) => {
    if (typeof chunk === 'string' && requestLine.test(chunk)) {
      begins = true;
      passedOver = 0;
    }
    return write(chunk as string, ...more);
  };
  return socket;
}

/** What is no interim answer, or may be the beginning of one; empty where nothing else came. */
function behindInterim(bytes: Buffer): { readonly rest: Buffer; readonly isKnown: boolean } {
  let rest = bytes;
  while (rest.length > 0) {
    const start = rest.toString('latin1', 0, statusLineLength);
    if (rest.length < statusLineLength) return { rest, isKnown: !'HTTP/1.'.startsWith(start.slice(0, 7)) };
    if (!statusLine.test(start)) break;
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return { rest, isKnown: rest.length > maxBytes };
    rest = rest.subarray(end + 4);
  }
  return { rest, isKnown: true };
}
