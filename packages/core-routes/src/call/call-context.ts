import type { Json, Progress, Route, RouteRequest, RouteTable, Values } from '@waymark/contract';
import {
  type Awaitable,
  type BodySource,
  type Call,
  type Dispatcher,
  type EngineContext,
  type Hold,
  type Log,
  type LogLevel,
  RouteResponse,
  type Via,
} from '@waymark/contract/engine';
import { giveBack } from '@waymark/contract/http';
import type { BrowserSide, Principal } from '@waymark/contract/principal';
import {
  type RunEnd,
  type Runner,
  type RunOutcome,
  type RunScope,
  type RunSpec,
  type Step,
  toRunPath,
} from '@waymark/contract/runs';
import { parseJsonText } from '../input/parse-json.ts';
import { largeBody, parseTextInTurns } from '../input/read-body.ts';
import { BoundRequest } from './bound-request.ts';
import type { Turns } from './turns.ts';

/** What all calls of one dispatcher share. */
export interface CallSurroundings {
  readonly table: RouteTable;
  readonly dispatcher: Dispatcher;
  readonly runner: Runner | undefined;
  /** Fires at shutdown. */
  readonly signal: AbortSignal | undefined;
  readonly log: Log | undefined;
  /** Large work of all calls. */
  readonly turns: Turns;
}

const noInput: Values = Object.freeze({});

/** Where nobody counts what callers hold. */
const noHold: Hold = { more: () => undefined, release: () => {} };

const noBody: BodySource = {
  contentType: undefined,
  contentLength: 0,
  read: () => Promise.resolve(new Uint8Array(0)),
  stream: () => new ReadableStream({ start: (controller) => controller.close() }),
};

/** One call in work: what its engine sees. Request and signal are made when somebody looks at them. */
export class CallContext implements EngineContext {
  readonly call: Call;
  /** By the clock of the dispatcher. */
  readonly startedMs: number;
  deadlineMs: number;
  /** What was sent, in JSON: what is stored, bound again when a run goes on, and shown to a human. */
  given: Values = noInput;
  /** What the engine works with. */
  input: Values = noInput;
  /** Its input is as it should be, and others have seen it. */
  bound = false;
  /** Somebody said no after the input was read: the gate. */
  refused = false;
  /** How often its engine was asked. */
  attempts = 1;
  /** The body as read, and as parsed. */
  bytes: Uint8Array | undefined;
  content: unknown;
  readonly #of: CallSurroundings;
  #request: BoundRequest | undefined;
  #controller: AbortController | undefined;
  #onAbort: ((event: Event) => void) | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #released = false;
  /** Of the root run that answers the call. */
  #runId: string | undefined;
  /** The call asks what became of a run. */
  #asksAbout = false;

  constructor(call: Call, deadlineMs: number, surroundings: CallSurroundings, startedMs = 0) {
    this.call = call;
    this.startedMs = startedMs;
    this.deadlineMs = deadlineMs;
    this.#of = surroundings;
  }

  get route(): Route {
    return this.call.route;
  }

  get principal(): Principal {
    return this.call.principal;
  }

  get via(): Via {
    return this.call.via;
  }

  get requestId(): string {
    return this.call.requestId;
  }

  get clientAddress(): string | undefined {
    return this.call.clientAddress;
  }

  get browser(): BrowserSide | undefined {
    return this.call.browser;
  }

  get step(): Step | undefined {
    return this.call.step;
  }

  get ended(): boolean {
    return this.call.resume?.ended ?? false;
  }

  get table(): RouteTable {
    return this.#of.table;
  }

  get dispatcher(): Dispatcher {
    return this.#of.dispatcher;
  }

  get body(): BodySource {
    return this.call.input.by === 'request' ? this.call.input.body : noBody;
  }

  get request(): RouteRequest {
    this.#request ??= new BoundRequest(this);
    return this.#request;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#follow();
    return this.#controller.signal;
  }

  log(level: LogLevel, message: string, fields?: Values): void {
    const { requestId, route } = this.call;
    this.#of.log?.(level, message, { request_id: requestId, route: route.name, ...fields });
  }

  observe(progress: Progress): void {
    this.call.observe?.(progress.event === 'run' ? this.#placed(progress) : progress);
  }

  room(): Promise<void> | undefined {
    return this.call.room?.();
  }

  charge(cost: number): Awaitable<void> {
    return this.call.charge?.(cost);
  }

  hold(bytes: number): Hold {
    return this.call.hold?.(bytes) ?? noHold;
  }

  /** What stands for who calls where callers have turns. */
  get caller(): string {
    const { principal, clientAddress = '' } = this.call;
    return principal.authenticated ? `id ${principal.id}` : `ip ${clientAddress}`;
  }

  parse(text: string): Awaitable<unknown> {
    const { table, turns } = this.#of;
    const maxValues = table.maxBodyValuesOf(this.route);
    const pieces = parseTextInTurns(text, maxValues);
    return pieces ? turns.take(pieces, this.caller, this.signal) : parseJsonText(text, maxValues);
  }

  inTurns<T>(pieces: Iterator<void, T>): Promise<T> {
    return this.#of.turns.take(pieces, this.caller, this.signal);
  }

  openRun<T extends Json>(
    spec: RunSpec,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>> {
    // Named, since a spread leaves out what a call has from its class.
    const { signal, observe, onRun } = this.call;
    const call: Call = {
      ...this.call,
      ...(signal && { signal }),
      ...(observe && { observe: (progress) => this.observe(progress) }),
      onRun: (runId) => {
        this.#runId = runId;
        onRun?.(runId);
      },
      deadlineMs: this.deadlineMs,
    };
    return this.#runner.open(spec, call, this.given, body);
  }

  readRun(rootId: string, route: string): Promise<RouteResponse> {
    this.#asksAbout = true;
    return this.#runner.read(rootId, route, this.principal);
  }

  followRun(rootId: string, route: string, lastSeq: number): AsyncIterable<Progress> {
    this.#asksAbout = true;
    return this.#runner.follow(rootId, route, lastSeq, this.principal, this.signal);
  }

  cancelRun(rootId: string, route: string): Promise<void> {
    return this.#runner.cancelOwn(rootId, route, this.principal);
  }

  /** The answer, with the place where a run that has not ended yet will give its own (runs.md 11, 12). */
  placed(response: RouteResponse): RouteResponse {
    const { status, body, headers } = response;
    const location = status === 202 || status === 503 ? this.#runPath : undefined;
    return location === undefined ? response : new RouteResponse(status, body, { ...headers, location });
  }

  /** Whether somebody looked at the signal, and it has fired. */
  get givenUp(): boolean {
    return this.#controller?.signal.aborted ?? false;
  }

  /** Ends the work: the deadline came, or the socket closed. */
  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }

  /** The same call once more: what ended the last attempt says nothing about this one. */
  renew(deadlineMs: number): void {
    this.release();
    this.#released = false;
    this.#request = undefined;
    this.#controller = undefined;
    this.#onAbort = undefined;
    this.#aborted = undefined;
    this.deadlineMs = deadlineMs;
    this.attempts++;
  }

  /**
   * Gives back the memory of a large body that was refused before anybody else had seen it. As garbage, bytes outside of the
   * heap lie about until all of it is collected.
   */
  dropBody(): void {
    const { bytes } = this;
    if (this.bound || !bytes || bytes.length <= largeBody || !this.body.exclusive) return;
    this.bytes = undefined;
    giveBack(bytes);
  }

  /** Lets go of the signals this call listens to. */
  release(): void {
    this.#released = true;
    if (!this.#onAbort) return;
    this.call.signal?.removeEventListener('abort', this.#onAbort);
    this.#of.signal?.removeEventListener('abort', this.#onAbort);
  }

  /** Where the answer of the run can be asked for: by nobody without credentials, since all of them are one. */
  get #runPath(): string | undefined {
    if (!this.principal.authenticated) return undefined;
    if (this.#asksAbout) return this.request.path;
    return this.#runId === undefined ? undefined : toRunPath(this.request.path, this.#runId);
  }

  #placed(progress: Progress): Progress {
    const location = this.#runPath;
    if (location === undefined) return progress;
    // The runner's own words.
    return { ...progress, data: { ...(progress.data as object), location } };
  }

  get #runner(): Runner {
    if (!this.#of.runner)
      throw new Error(`route ${this.call.route.name} needs a runner and the dispatcher has none`);
    return this.#of.runner;
  }

  #follow(): AbortController {
    const controller = new AbortController();
    const { signal } = this.call;
    const over =
      this.#aborted ?? (signal?.aborted ? signal : this.#of.signal?.aborted ? this.#of.signal : undefined);
    if (over) controller.abort(over.reason);
    // Nobody would take the listeners off again: the call is over, and somebody looks at its signal only now.
    if (over || this.#released) return controller;
    this.#onAbort = ({ target }) => controller.abort((target as AbortSignal).reason);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#of.signal?.addEventListener('abort', this.#onAbort, { once: true });
    return controller;
  }
}
