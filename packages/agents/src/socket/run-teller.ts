import type { Json, Progress } from '@waymark/contract';
import type { EngineContext, RouteResponse } from '@waymark/contract/engine';
import { type RunStep, toRunPath } from '@waymark/contract/runs';
import type { SocketOut } from './socket-out.ts';
import { failureText, resultText, stepText } from './socket-text.ts';
import type { ToldRun } from './told-run.ts';

/** What a follower is told at the end of a run that failed. */
interface FailedEnd {
  readonly run_id: string;
  readonly status: 'failed';
  readonly problem: {
    readonly status: number;
    readonly detail: string;
    readonly code?: string;
    readonly run?: Json;
  };
}

/** What is said of a run that waits. */
interface WaitingAnswer {
  readonly run_id: string;
  readonly status: string;
  readonly pending_approvals?: Json;
  readonly waits?: Json;
}

/** Tells runs over one socket: what happens in them, and what they came to. */
export class RunTeller {
  readonly #out: SocketOut;
  readonly #context: EngineContext;
  readonly #route: string;

  /** @param route that starts the runs, by its name in the table */
  constructor(out: SocketOut, context: EngineContext, route: string) {
    this.#out = out;
    this.#context = context;
    this.#route = route;
  }

  /** Whether the caller can ask for a run of its own later. Those without a name are one, and are told of none. */
  get mayFollow(): boolean {
    return this.#context.principal.authenticated;
  }

  tell(told: ToldRun, { event, data }: Progress): void {
    // The runner's own words, each by the name of its event.
    const members = data as { readonly run_id: string };
    if (event === 'run') this.#begin(told, members.run_id);
    else if (event === 'step') this.#step(told, data as RunStep);
    else if (event === 'waiting') this.#waiting(told, members);
    else if (event === 'delta') this.#out.send(JSON.stringify({ type: event, ...members }));
  }

  #waiting(told: ToldRun, what: object): void {
    this.#out.sendShared(what, () => JSON.stringify({ type: 'waiting', ...what }));
    told.giveWay();
  }

  /** Tells what an answer of the route says of its run. @returns whether it was the end of it */
  answer({ status, body }: RouteResponse): boolean {
    if (body.kind === 'json' && status === 200) this.#out.send(resultText(body.text));
    else if (body.kind === 'problem' && isFailed(body.run))
      this.#out.send(failureText(body.run, { status, detail: body.detail, code: body.code }));
    else return false;
    return true;
  }

  /** Tells callers who cannot ask for it later that a run waits, which is all that it comes to for them. @returns whether it does */
  waits(told: ToldRun, { status, body }: RouteResponse): boolean {
    if (status !== 202 || body.kind !== 'json') return false;
    // The answer of the agent's own route.
    const { run_id, status: why, pending_approvals, waits } = JSON.parse(body.text) as WaitingAnswer;
    this.#waiting(told, { run_id, status: why, pending_approvals, waits });
    this.#out.send(resultText(body.text));
    return true;
  }

  /**
   * Tells a run behind what was told of it, to its end, however often it waits; nothing more once the socket has closed.
   *
   * @throws {HTTPError} 404 no such run, or of somebody else · 503 it cannot be read for now
   */
  async follow(told: ToldRun): Promise<void> {
    const { runId = '', seq } = told;
    for await (const event of this.#context.followRun(runId, this.#route, seq)) {
      if (event.event === 'result') this.#end(event.data as object);
      else this.tell(told, event);
      const room = this.#out.room();
      if (room) await room;
    }
  }

  #begin(told: ToldRun, runId: string): void {
    told.runId = runId;
    if (told.begun) return;
    told.begun = true;
    const location = this.mayFollow ? toRunPath(this.#context.request.path, runId) : undefined;
    this.#out.send(JSON.stringify({ type: 'run', run_id: runId, location, idempotency_key: told.key }));
  }

  #step(told: ToldRun, step: RunStep): void {
    told.seq = step.seq;
    this.#out.sendShared(step, () => stepText(step));
  }

  #end(result: object): void {
    this.#out.sendShared(result, () => {
      if (!isFailedEnd(result)) return resultText(JSON.stringify(result));
      const { problem, ...plain } = result;
      return failureText(problem.run ?? plain, problem);
    });
  }
}

/** A problem may name a run that goes on, or another one. */
function isFailed(run: Json | undefined): boolean {
  return typeof run === 'object' && run !== null && 'status' in run && run['status'] === 'failed';
}

function isFailedEnd(result: object): result is FailedEnd {
  return 'problem' in result;
}
