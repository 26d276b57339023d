import { type IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HTTPError } from '@waymark/contract';
import { type Hold, problemResponse, RouteResponse, toErrorResponse } from '@waymark/contract/engine';
import { noBody } from '../body/body-source.ts';
import type { Passage } from '../door/passage.ts';
import { belowMount } from '../door/request-target.ts';
import { type SentAway, sentAwayWith, unmatched } from '../door/sent-away.ts';
import { Visit } from '../door/visit.ts';
import { VisitorCall } from '../door/visitor-call.ts';
import { noRoom } from '../limits/door-limits.ts';
import { toAnswer } from '../response/answer.ts';
import { endGently, maxUnheardBytes } from '../response/end-gently.ts';
import { extraHeaders } from '../response/extra-headers.ts';
import { toHeaderBlock } from '../response/header-block.ts';
import { keepingOf } from '../response/keeping.ts';
import { boundMessages } from './bound-messages.ts';
import { MessageTurns } from './message-turns.ts';
import type { OpenSockets } from './open-sockets.ts';
import { sliceData } from './slice-data.ts';
import { SocketPeer } from './socket-peer.ts';

const load = createRequire(import.meta.url);

/** Fragments of a message, besides one for so many bytes that it may have: each takes a microsecond, however small it is. */
export const maxFragments = 1_024;
const fragmentBytes = 4_096;

/** WebSocket upgrades: the same order as requests, then an accepted peer or a plain HTTP answer. */
export class Upgrades {
  readonly #passage: Passage;
  readonly #sockets: OpenSockets;
  readonly #mountPath: string;
  readonly #turns = new MessageTurns();

  /** @param mountPath where the paths of the table begin: the event brings targets as they were sent */
  constructor(passage: Passage, sockets: OpenSockets, mountPath: string) {
    this.#passage = passage;
    this.#sockets = sockets;
    this.#mountPath = mountPath;
  }

  /** @param next takes over what the table does not know, untouched; it is 404 without */
  take(req: IncomingMessage, socket: Duplex, head: Buffer, next: (() => void) | undefined): void {
    const target = belowMount(req.url ?? '/', this.#mountPath);
    if (target === undefined && next) {
      next();
      return;
    }
    // Node has taken its own listener away; a reset without one would end the process. `close` tells the rest.
    socket.on('error', () => {});
    const { newId, policies } = this.#passage;
    const visit = new Visit(req, newId, policies.readClientSide, target);
    const entered =
      target === undefined
        ? this.#turnAway(visit, socket, unmatched(visit.method, nowhere, false))
        : this.#enter(visit, socket, head, next);
    entered
      .catch((error: unknown) => {
        if (!(error instanceof HTTPError)) this.#report(visit, error);
        // A sign-in of somebody's own may throw its 401.
        return this.#turnAway(visit, socket, sentAwayWith(toErrorResponse(error)));
      })
      // Nothing is left to be answered.
      .catch((error: unknown) => this.#report(visit, error));
  }

  async #enter(visit: Visit, socket: Duplex, head: Buffer, next: (() => void) | undefined): Promise<void> {
    const { dispatcher, entrance } = this.#passage;
    const entry = await entrance.enter(visit, true, next !== undefined);
    if (!entry.ok && entry.absent && next) return next();
    // Among the requests: one takes half a millisecond, and node hands over one of each connection in a turn.
    const { lanes } = this.#passage;
    if (!lanes.mayBegin()) await new Promise<void>((begin) => void lanes.wait(visit.callerKey, begin));
    if (socket.destroyed) return this.#done(visit, 101, true);
    if (!entry.ok) return this.#turnAway(visit, socket, entry);
    const fault = handshakeFault(visit.req);
    if (fault) return this.#refuse(visit, socket, fault);
    const call = new VisitorCall(visit, entry, {
      via: 'socket',
      body: noBody,
      gone: () => whenClosed(socket),
      hold: (bytes) => this.#hold(visit, bytes),
    });
    const admission = await dispatcher.upgrade(call);
    if (!admission.ok)
      return this.#refuse(visit, socket, await entrance.turnBack(visit, entry, admission.response));
    if (entrance.draining)
      return this.#refuse(visit, socket, problemResponse(503, 'the server is shutting down'));
    if (socket.destroyed) return this.#done(visit, 101, true);
    const refusal = this.#passage.places.seat(visit);
    if (refusal) return this.#refuse(visit, socket, toErrorResponse(refusal));
    socket.once('close', () => visit.release());
    this.#open({ visit, socket, head, ...admission });
  }

  #hold({ callerKey }: Visit, bytes: number): Hold {
    const { inFlight } = this.#passage;
    const hold = inFlight.take(callerKey, bytes);
    if (typeof hold === 'string') throw noRoom(hold, inFlight.size);
    return hold;
  }

  async #turnAway(visit: Visit, socket: Duplex, entry: SentAway): Promise<void> {
    this.#refuse(visit, socket, await this.#passage.entrance.turnAway(visit, true, entry));
  }

  #open({ visit, socket, head, maxMessageBytes, accept }: Opening): void {
    // One for each upgrade, since the limit differs by route; it holds nothing once the socket is open.
    // Compression would let a small message unfold to any size, and costs more than it saves on images.
    // The library is loaded for the first socket.
    const { WebSocketServer } = load('ws') as typeof import('ws');
    const handshake = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
      maxFragments: maxFragments + Math.ceil(maxMessageBytes / fragmentBytes),
      // The peer answers pings, a few for however many come at once.
      autoPong: false,
    });
    const { lines: fixed } = this.#passage.policies.headers.of(visit);
    const extra = toHeaderBlock(extraHeaders(visit) ?? []).lines;
    handshake.on('headers', (lines) => lines.push(`x-request-id: ${visit.requestId}`, ...fixed, ...extra));
    handshake.handleUpgrade(visit.req, socket, head, (ws) => {
      const peer = new SocketPeer(ws, socket, visit.callerKey, this.#turns, (error) =>
        this.#report(visit, error),
      );
      this.#sockets.add(peer, visit.principal?.expiresAtMs);
      const { inFlight: budget, sessionUses } = this.#passage;
      if (visit.session !== undefined)
        peer.onClose(sessionUses.add(visit.session, () => peer.shut(4401, 'the session has ended')));
      const early = boundMessages(ws, socket, {
        budget,
        key: visit.callerKey,
        onPiece: (bytes) => peer.takePiece(bytes),
        refuse: (reason) => peer.shut(1013, reason),
        onRest: () => peer.dropRest(),
      });
      sliceData(ws, socket, peer, early);
      this.#done(visit, 101, false);
      try {
        accept(peer);
      } catch (error) {
        this.#report(visit, error);
        peer.close(1011, 'internal error');
      }
    });
  }

  /** Never throws: what cannot be sent is reported, and answered 500. */
  #refuse(visit: Visit, socket: Duplex, response: RouteResponse): void {
    try {
      this.#send(visit, socket, response);
    } catch (error) {
      this.#report(visit, error);
      this.#send(visit, socket, problemResponse(500, 'internal error'));
    }
  }

  #send(visit: Visit, socket: Duplex, { status, body, headers }: RouteResponse): void {
    // No refusal is worth a stream: its source is told, and the answer has no content.
    if (body.kind === 'stream') body.stream.cancel().catch(() => {});
    const response = new RouteResponse(status, body.kind === 'stream' ? { kind: 'empty' } : body, headers);
    const head = visit.method === 'HEAD';
    const answer = toAnswer(response, {
      requestId: visit.requestId,
      head,
      close: true,
      fixed: this.#passage.policies.headers.of(visit, keepingOf(visit, response)),
      extra: extraHeaders(visit),
      challenge: this.#passage.challenge,
    });
    visit.bytes = answer.bytes;
    const res = new ServerResponse(visit.req);
    res.writeHead(answer.status, answer.headers as string[]);
    // It only writes and listens for `close`, as any stream can: the event promises a Duplex, and hands out sockets.
    res.assignSocket(socket as Socket);
    res.end(answer.payload);
    endGently(socket, maxUnheardBytes);
    this.#done(visit, status, false);
  }

  #done(visit: Visit, status: number, aborted: boolean): void {
    const durationMs = performance.now() - visit.startedMs;
    this.#passage.log?.('info', 'upgrade', visit.toLogFields({ status, aborted, durationMs }));
  }

  #report({ requestId, sentPath: path }: Visit, error: unknown): void {
    this.#passage.log?.('error', 'the socket failed', { request_id: requestId, path, error });
  }
}

/** What is found outside the place where the door is mounted. */
const nowhere = { found: false, status: 404, allow: [] } as const;

/** An upgrade that nothing speaks against. */
interface Opening {
  readonly visit: Visit;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly maxMessageBytes: number;
  readonly accept: (peer: SocketPeer) => void;
}

/** What `ws` would refuse too, but without a request id and a problem document. */
function handshakeFault({ headers, method }: IncomingMessage): RouteResponse | undefined {
  const key = headers['sec-websocket-key'];
  const version = headers['sec-websocket-version'];
  if (headers.upgrade?.toLowerCase() !== 'websocket')
    return problemResponse(426, 'the only upgrade offered is to a WebSocket');
  if (version !== '13' && version !== '8')
    return problemResponse(426, 'the WebSocket version must be 13', {}, { 'sec-websocket-version': '13' });
  if (method !== 'GET' || key === undefined || !/^[+/0-9A-Za-z]{22}==$/.test(key))
    return problemResponse(400, 'the WebSocket handshake is not valid');
  return undefined;
}

function whenClosed(socket: Duplex): AbortSignal {
  const controller = new AbortController();
  const onClose = (): void => controller.abort(new DOMException('the client went away', 'AbortError'));
  if (socket.destroyed) onClose();
  else socket.once('close', onClose);
  return controller.signal;
}
