import { PacedRequest } from '../body/paced-request.ts';
import { hasLongLine } from './line.ts';
import { SlicedSocket } from './sliced-socket.ts';
import { hasTooManyHeaders } from './too-many-headers.ts';

/**
 * Why node's parser leaves off behind the head of a request: it has too many headers for a body in chunks, another process
 * answers it, or its connection is to be parsed in slices, since its body comes in chunks or many were sent ahead of it.
 */
export type Leave = 'crowded' | 'wanted' | 'sliced';

const leave = Symbol('leave');
const told = Symbol('told');

/**
 * A request of a server that `listen` made. Where node's parser has to leave off behind its head, it passes for an upgrade,
 * whatever it is: node then hands out the connection with exactly what came behind it. Nothing else halts the parser in the
 * middle of what was read at once, and 64 KiB hold 2,000 requests, each of which becomes an object first (25 ms; a bare server
 * that is sent them without an end answers nobody else, measured).
 */
export class ListenedRequest extends PacedRequest {
  declare [leave]?: Leave | 'stays';
  declare [told]?: unknown;

  /** Whether node hands out the connection; asked once it has assigned what the head says, the method last. */
  get upgrade(): unknown {
    return this[leave] === 'stays' || leaveOf(this) === undefined ? this[told] : true;
  }

  set upgrade(value: unknown) {
    this[told] = value;
  }

  override push(piece: Uint8Array | null): boolean {
    if (piece !== null && this.socket instanceof SlicedSocket) this.socket.tell(piece);
    return super.push(piece);
  }

  /** Whether another process answers it, and all that follow on its connection; absent where there is none. */
  isWanted?(): boolean;
}

/** Why the connection of a request is handed out; undefined for what stays, or really is an upgrade. */
export function leaveOf(req: ListenedRequest): Leave | undefined {
  if (req[leave] === undefined && req.method) req[leave] = findLeave(req);
  return req[leave] === 'stays' ? undefined : req[leave];
}

function findLeave(req: ListenedRequest): Leave | 'stays' {
  const { socket } = req;
  const isChunked = req.headers['transfer-encoding'] !== undefined;
  // The door refuses it, and what comes behind its head is no other request.
  if (isChunked && hasTooManyHeaders(req)) return 'crowded';
  if (req.isWanted?.()) return 'wanted';
  return (isChunked || hasLongLine(socket)) && !(socket instanceof SlicedSocket) ? 'sliced' : 'stays';
}
