import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Budget } from '@waymark/contract/engine';
import { contentLengthOf } from './body-headers.ts';
import { bytesReadBefore } from './bytes-read-before.ts';
import { tooLarge } from './collect-bytes.ts';
import type { BodyOwner, RequestBody } from './request-body.ts';
import { UnreadBody } from './unread-body.ts';

const nothing = new Uint8Array(0);

/** The body of a request without one. */
export const noBody: RequestBody = Object.freeze(emptyBody(undefined));

/**
 * Makes the unread body of a request; nothing is read, and no `100 Continue` sent, before somebody asks.
 *
 * @param inFlight what bodies hold that are read as a whole
 */
export function toRequestBody(
  req: IncomingMessage,
  res: ServerResponse,
  inFlight: Budget,
  owner: BodyOwner,
): RequestBody {
  const { 'content-type': contentType, 'transfer-encoding': encoding } = req.headers;
  const contentLength = contentLengthOf(req);
  if (encoding === undefined && contentLength === 0)
    return contentType === undefined ? noBody : emptyBody(contentType);
  // A parser of the surrounding application was here first (`express.json()`).
  if (req.readableDidRead) return earlierBody(req, contentType);
  return new UnreadBody(req, res, inFlight, owner);
}

function emptyBody(contentType: string | undefined): RequestBody {
  return {
    contentType,
    contentLength: 0,
    read: () => Promise.resolve(nothing),
    stream: () => new ReadableStream({ start: (controller) => controller.close() }),
    refused: false,
    abandon: () => {},
    release: () => {},
  };
}

/** A body that a parser of the surrounding application has read. */
function earlierBody(req: IncomingMessage, contentType: string | undefined): RequestBody {
  return {
    contentType,
    // The declared length is of what came over the wire, and a parser may have unpacked it.
    contentLength: undefined,
    read: async (limit) => {
      const bytes = bytesReadBefore(req);
      if (bytes.length > limit) throw tooLarge(limit);
      return bytes;
    },
    stream: () => ReadableStream.from([bytesReadBefore(req)]),
    refused: false,
    abandon: () => {},
    release: () => {},
  };
}
