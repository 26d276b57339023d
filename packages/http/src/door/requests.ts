import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPError } from '@waymark/contract';
import {
  type Awaitable,
  problemResponse,
  type RouteResponse,
  toErrorResponse,
} from '@waymark/contract/engine';
import { awaitsContinue } from '../body/body-headers.ts';
import { toRequestBody } from '../body/body-source.ts';
import { answerProgressing } from '../events/answer-events.ts';
import { toAnswer } from '../response/answer.ts';
import { unreadRest } from '../response/end-answer.ts';
import { endOf, isEndless } from '../response/endless.ts';
import { extraHeaders } from '../response/extra-headers.ts';
import { keepingOf } from '../response/keeping.ts';
import { asPage } from '../response/problem-page.ts';
import { send } from '../response/send.ts';
import { unlessUnchanged } from '../response/unless-unchanged.ts';
import { wantsHtml } from '../response/wants-html.ts';
import { setFixedHeaders } from '../security/fixed-headers.ts';
import { mcpPath } from '../session/session-door.ts';
import type { Entered } from './entrance.ts';
import type { Passage } from './passage.ts';
import { belowMount, parseTarget } from './request-target.ts';
import { type SentAway, sentAwayWith } from './sent-away.ts';
import { Turns } from './turns.ts';
import { Visit } from './visit.ts';
import { VisitorCall } from './visitor-call.ts';
import { whenGone } from './when-gone.ts';

/** How long is waited for what, milliseconds. */
export interface Patience {
  /** The longest pause of a streamed answer. */
  readonly streamIdleMs: number;
  /** The longest that a client may take nothing of its answer. */
  readonly clientIdleMs: number;
  /** Between two comments on a silent stream of events. */
  readonly keepAliveMs: number;
}

/** The status, in the log, of who has left before anything was begun: nginx has made it known. */
const clientClosed = 499;

/** Takes over a path that the table does not know. */
type Absent = (visit: Visit) => void;

/** Requests from the first byte to the log line: entrance, dispatcher, answer. */
export class Requests {
  readonly #passage: Passage;
  readonly #patience: Patience;
  readonly #turns = new Turns();
  readonly #idle: (() => void)[] = [];
  #waiting = 0;

  constructor(passage: Passage, patience: Patience) {
    this.#passage = passage;
    this.#patience = patience;
  }

  /** Serves the table, and hands other paths to the fallback, if there is one. @param target what is looked for */
  take(
    req: IncomingMessage,
    res: ServerResponse,
    fallback: RequestListener | undefined,
    target?: string,
  ): void {
    if (this.#turns.isEarly(res)) {
      this.#turns.wait(req, res, () => this.take(req, res, fallback, target));
      return;
    }
    const absent = fallback && ((visit: Visit) => this.#handOn(visit, res, fallback));
    this.#serve(req, res, { absent, target });
  }

  /** The same where the table begins at a mount path. */
  takeBelow(
    mountPath: string,
    req: IncomingMessage,
    res: ServerResponse,
    fallback: RequestListener | undefined,
  ): void {
    const target = belowMount(req.url ?? '/', mountPath);
    if (target !== undefined) this.take(req, res, fallback, target);
    else
      this.#guard(req, res, (visit) => {
        if (!fallback) {
          this.#answer(visit, res, problemResponse(404, 'nothing is served at this path'));
          return;
        }
        try {
          this.#handOn(visit, res, fallback);
        } catch (error) {
          this.#fail(visit, res, error);
        }
      });
  }

  /** Serves the table, and forgets requests for other paths: they are `next`'s, untouched. @param target what is looked for */
  pass(req: IncomingMessage, res: ServerResponse, next: () => void, target?: string): void {
    if (this.#turns.isEarly(res)) {
      this.#turns.wait(req, res, () => this.pass(req, res, next, target));
      return;
    }
    const absent = (visit: Visit): void => {
      this.#leave(visit);
      next();
    };
    this.#serve(req, res, { absent, target, guest: true });
  }

  /** The same where the table begins at a mount path. */
  passBelow(mountPath: string, req: IncomingMessage, res: ServerResponse, next: () => void): void {
    const target = belowMount(req.url ?? '/', mountPath);
    if (target !== undefined) this.pass(req, res, next, target);
    else if (this.#passage.entrance.owns(parseTarget(req.url ?? '/'))) this.take(req, res, undefined);
    else next();
  }

  /** Turns away whoever may not come in at all, and lets everybody else pass with the headers of every answer. */
  protect(req: IncomingMessage, res: ServerResponse, next: () => void): void {
    this.#guard(req, res, (visit) => {
      this.#dress(visit, res);
      this.#leave(visit);
      next();
    });
  }

  /** Resolves as soon as no request is waiting for its answer. */
  whenIdle(): Promise<void> {
    if (this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Keeps out who may not come in at all, and serves what is ours although it is not below the mount path. */
  #guard(req: IncomingMessage, res: ServerResponse, pass: Absent): void {
    if (this.#turns.isEarly(res)) {
      this.#turns.wait(req, res, () => this.#guard(req, res, pass));
      return;
    }
    const visit = this.#open(req);
    if (!visit) return;
    const { entrance } = this.#passage;
    const stopped = entrance.outside(visit);
    if (stopped) this.#answer(visit, res, stopped.response);
    else if (entrance.owns(visit)) {
      this.#leave(visit);
      this.take(req, res, undefined);
    } else pass(visit);
  }

  #handOn(visit: Visit, res: ServerResponse, fallback: RequestListener): void {
    const { req } = visit;
    this.#dress(visit, res);
    res.setHeader('x-request-id', visit.requestId);
    res.once('close', () => this.#witness(visit, res));
    if (awaitsContinue(req)) res.writeContinue();
    fallback(req, res);
  }

  #serve(
    req: IncomingMessage,
    res: ServerResponse,
    {
      absent,
      target,
      guest = false,
    }: { absent: Absent | undefined; target?: string | undefined; guest?: boolean },
  ): void {
    const visit = this.#open(req, target);
    if (!visit) return;
    try {
      const entry = this.#passage.entrance.enter(visit, false, guest);
      if (!(entry instanceof Promise)) this.#admit(visit, res, entry, absent);
      else
        entry
          .then((late) => this.#admit(visit, res, late, absent))
          .catch((error: unknown) => this.#fail(visit, res, error));
    } catch (error) {
      this.#fail(visit, res, error);
    }
  }

  /** Nothing is begun behind the last answer of a connection. */
  #open(req: IncomingMessage, target?: string): Visit | undefined {
    if (!this.#turns.mayBegin(req)) return undefined;
    const { newId, policies } = this.#passage;
    const visit = new Visit(req, newId, policies.readClientSide, target);
    this.#waiting++;
    return visit;
  }

  /** Lets somebody in, or sends them away, when it is their turn. */
  #admit(visit: Visit, res: ServerResponse, entry: Entered | SentAway, absent: Absent | undefined): void {
    const { lanes } = this.#passage;
    if (lanes.mayBegin()) {
      this.#begin(visit, res, entry, absent);
      return;
    }
    // The context is that of whatever stands in front of the door, and of this request.
    const begin = AsyncLocalStorage.bind(() => {
      res.off('close', gone);
      // It is closed at the end of the turn in which that is noticed.
      if (visit.req.socket.destroyed) gone();
      else
        try {
          this.#begin(visit, res, entry, absent);
        } catch (error) {
          this.#fail(visit, res, error);
        }
    });
    const leave = lanes.wait(visit.callerKey, begin);
    const gone = (): void => {
      leave();
      this.#done(visit, clientClosed, true);
    };
    res.once('close', gone);
  }

  #begin(visit: Visit, res: ServerResponse, entry: Entered | SentAway, absent: Absent | undefined): void {
    if (!entry.ok) {
      if (entry.absent && absent) absent(visit);
      else this.#turnAway(visit, res, entry);
      return;
    }
    const { entrance, inFlight, places } = this.#passage;
    const refusal = visit.method === 'HEAD' ? undefined : places.admit(visit, entry.route);
    if (refusal) {
      this.#answer(visit, res, toErrorResponse(refusal));
      return;
    }
    const body = toRequestBody(visit.req, res, inFlight, visit);
    visit.body = body;
    const call = new VisitorCall(visit, entry, {
      via: 'http',
      body,
      gone: () => whenGone(visit, res),
      browser: entry.route.facts.opensSessions ? entrance.browser(visit) : undefined,
    });
    const dispatched = this.#dispatch(visit, call);
    if (!(dispatched instanceof Promise)) this.#conclude(visit, res, entry, dispatched);
    else
      dispatched.then(
        (response) => this.#conclude(visit, res, entry, response),
        (error: unknown) => this.#fail(visit, res, error),
      );
  }

  #conclude(visit: Visit, res: ServerResponse, entry: Entered, response: RouteResponse): void {
    const told = this.#passage.entrance.turnBack(visit, entry, response);
    if (!(told instanceof Promise)) this.#answer(visit, res, this.#seated(visit, told));
    else
      told.then(
        (late) => this.#answer(visit, res, this.#seated(visit, late)),
        (error: unknown) => this.#fail(visit, res, error),
      );
  }

  #turnAway(visit: Visit, res: ServerResponse, entry: SentAway): void {
    const response = this.#passage.entrance.turnAway(visit, false, entry);
    if (!(response instanceof Promise)) this.#answer(visit, res, response);
    else
      response
        .then((late) => this.#answer(visit, res, late))
        .catch((error: unknown) => this.#fail(visit, res, error));
  }

  #dispatch(visit: Visit, call: VisitorCall): Awaitable<RouteResponse> {
    const { dispatcher } = this.#passage;
    if (!call.route.progress) return dispatcher.dispatch(call);
    return answerProgressing(dispatcher, call, {
      keepAliveMs: this.#patience.keepAliveMs,
      arrived: () => visit.req.complete,
      report: (error) => this.#report(visit, 'an event cannot be sent', error),
    });
  }

  /** The answer; or its refusal, where it is a stream without an end that its route did not speak of. */
  #seated(visit: Visit, response: RouteResponse): RouteResponse {
    const { body } = response;
    if (!isEndless(body) || visit.method === 'HEAD') return response;
    const refusal = this.#passage.places.seat(visit);
    if (!refusal) return response;
    drop(body.stream);
    return toErrorResponse(refusal);
  }

  /** Never throws: what cannot be sent is reported, and answered 500. */
  #answer(visit: Visit, res: ServerResponse, given: RouteResponse): void {
    // What the caller has already is 304.
    const response = unlessUnchanged(given, visit.method, visit.req.headers['if-none-match']);
    if (response !== given && given.body.kind === 'stream') drop(given.body.stream);
    try {
      this.#send(visit, res, this.#shown(visit, response));
    } catch (error) {
      if (response.body.kind === 'stream') drop(response.body.stream);
      this.#report(visit, 'the answer cannot be sent', error);
      this.#send(visit, res, problemResponse(500, 'internal error'));
    }
  }

  /** A browser that goes somewhere is shown a page; whether one does is asked of refusals and failures only. */
  #shown(visit: Visit, response: RouteResponse): RouteResponse {
    const { problemPage } = this.#passage;
    if (response.body.kind !== 'problem' || !problemPage || visit.control === mcpPath) return response;
    if (!wantsHtml(visit.accept)) return response;
    return asPage(response, visit, problemPage);
  }

  #send(visit: Visit, res: ServerResponse, response: RouteResponse): void {
    const { body } = visit;
    // The rest of a body that is too slow, too large or one too many is not waited for, however little it is (decision 2.6).
    const impatient = response.status === 408 || response.status === 413 || body?.refused === true;
    const unread = unreadRest(visit.req);
    const rest = impatient && unread === 'small' ? 'large' : unread;
    const last = rest === 'large' || impatient || this.#passage.entrance.draining || !res.shouldKeepAlive;
    if (last) this.#turns.endWith(visit.req);
    const answer = toAnswer(response, {
      requestId: visit.requestId,
      head: visit.method === 'HEAD',
      close: last,
      fixed: this.#passage.policies.headers.of(visit, keepingOf(visit, response)),
      extra: extraHeaders(visit),
      challenge: this.#passage.challenge,
    });
    const { status, payload, bytes } = answer;
    // A stream that answers may be reading the body at the same time, as a proxy does.
    if (rest !== 'none' && !(payload instanceof ReadableStream)) body?.abandon();
    visit.bytes = bytes ?? 0;
    const { streamIdleMs, clientIdleMs } = this.#patience;
    const idleMs = (response.body.kind === 'stream' ? response.body.pauseMs : undefined) ?? streamIdleMs;
    const until = endOf(visit, response.body);
    if (visit.session !== undefined && isEndless(response.body)) this.#endWith(visit.session, res);
    const sent = send(visit.req, res, answer, rest, { tally: visit, idleMs, clientIdleMs, until });
    if (sent) {
      const done = (aborted: boolean): void => {
        // It may still be read, and nothing of it comes any more.
        if (rest !== 'none') body?.abandon();
        this.#done(visit, status, aborted);
      };
      sent.then(
        () => done(!res.writableEnded),
        (error: unknown) => {
          this.#report(visit, 'the answer broke off', error);
          done(true);
        },
      );
      return;
    }
    if (response.body.kind === 'stream') drop(response.body.stream);
    this.#done(visit, status, res.destroyed);
  }

  /** A stream without an end is not left to who has signed out. */
  #endWith(session: string, res: ServerResponse): void {
    const leave = this.#passage.sessionUses.add(session, () => res.destroy());
    res.once('close', leave);
  }

  /** The last resort. What the caller may read is an `HTTPError`; anything else is a bug, in us or in what we were given. */
  #fail(visit: Visit, res: ServerResponse, error: unknown): void {
    if (!(error instanceof HTTPError)) this.#report(visit, 'the request failed in the door', error);
    // A fallback may throw in the middle of its answer; its `close` listener ends the visit.
    if (res.headersSent) res.destroy();
    else if (visit.body) this.#answer(visit, res, toErrorResponse(error));
    // Nobody came in: a sign-in of somebody's own may throw its 401.
    else this.#turnAway(visit, res, sentAwayWith(toErrorResponse(error)));
  }

  /** Headers of every answer, on one that somebody else will give. */
  #dress(visit: Visit, res: ServerResponse): void {
    setFixedHeaders(res, this.#passage.policies.headers.of(visit));
  }

  /** The end of an answer that a fallback gave. */
  #witness(visit: Visit, res: ServerResponse): void {
    const length = Number(res.getHeader('content-length') ?? Number.NaN);
    visit.bytes = Number.isNaN(length) ? undefined : length;
    this.#done(visit, res.statusCode, !res.writableFinished);
  }

  #done(visit: Visit, status: number, aborted: boolean): void {
    if (visit.ended) return;
    // What operators look at is no traffic; a stream lasts as long as somebody reads it.
    const durationMs = performance.now() - visit.startedMs;
    if (visit.control === undefined) this.#passage.answered(status, visit.place ? undefined : durationMs);
    this.#leave(visit);
    this.#passage.log?.('info', 'request', visit.toLogFields({ status, aborted, durationMs }));
  }

  #leave(visit: Visit): void {
    visit.ended = true;
    visit.release();
    if (--this.#waiting > 0 || this.#idle.length === 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #report({ requestId, sentPath: path }: Visit, message: string, error: unknown): void {
    this.#passage.log?.('error', message, { request_id: requestId, path, error });
  }
}

function drop(stream: ReadableStream<Uint8Array>): void {
  // Nobody is left to hear why a source does not like to be cancelled.
  if (!stream.locked) stream.cancel().catch(() => {});
}
