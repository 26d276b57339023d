import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, keys } from './fleet.ts';
import type { Job } from './jobs.ts';

/** What a client was told in the end. */
export interface ClientEnd {
  readonly status: number;
  readonly body: unknown;
  /** Its run, if it was ever told. */
  readonly runId: string | undefined;
  /** Numbers of the steps it was told, in their order; of readers of events. */
  readonly ids: readonly number[];
  /** Steps that one stream told again, or out of their order. */
  readonly repeated: number;
  /** How often it asked. */
  readonly asked: number;
  /** Of a reader of events: how it asked each time, and what it was told. */
  readonly told: readonly string[];
}

/** An answer, as far as a client goes by it. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly location: string | null;
}

const headers = { 'x-api-key': keys.DESK_KEY, 'content-type': 'application/json' };

/** Until it asks again. */
const pauseMs = 200;

/** A slow reader takes a piece, and then looks away. */
const slowMs = 25;

/**
 * A client that goes by the documents: it starts its run with an `idempotency-key`, says the same again when it heard
 * nothing, and follows the `Location` of what has not ended.
 */
export class Client {
  readonly #fleet: Fleet;
  readonly #job: Job;
  readonly #ids: number[] = [];
  #runId: string | undefined;
  #location: string | undefined;
  #asked = 0;
  readonly #told: string[] = [];
  #repeated = 0;

  constructor(fleet: Fleet, job: Job) {
    this.#fleet = fleet;
    this.#job = job;
  }

  /** Until it was told how its run ended. */
  async end(): Promise<ClientEnd> {
    for (;;) {
      const answer = await this.#ask().catch(() => undefined);
      this.#asked++;
      if (answer) {
        const isNext = isBusy(answer);
        if (!isNext) this.#learn(answer);
        const isLater = answer.status === 202 || (answer.status === 503 && !hasEnded(answer)) || isNext;
        if (!isLater)
          return {
            ...{ status: answer.status, body: answer.body, runId: this.#runId },
            ...{ ids: this.#ids, repeated: this.#repeated, asked: this.#asked, told: this.#told },
          };
      }
      await sleep(pauseMs);
    }
  }

  async #ask(): Promise<Answer | undefined> {
    const { path, body, name, reading } = this.#job;
    const url = await this.#fleet.url();
    const lastId = this.#ids.at(-1);
    const wanted = {
      ...headers,
      ...(reading !== 'whole' && { accept: 'text/event-stream' }),
      ...(reading !== 'whole' && lastId !== undefined && { 'last-event-id': `${this.#runId}/${lastId}` }),
    };
    const response =
      this.#location === undefined
        ? await fetch(url + path, {
            method: 'POST',
            headers: { ...wanted, 'idempotency-key': name },
            body: JSON.stringify(body),
          })
        : await fetch(url + this.#location, { headers: wanted });
    const location = response.headers.get('location');
    if (response.headers.get('content-type')?.startsWith('text/event-stream'))
      return this.#readEvents(response, this.#location === undefined ? 0 : (lastId ?? 0));
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text), location };
  }

  /** @param after the step it was asked to begin behind @returns the last event as an answer; undefined where there is none */
  async #readEvents(response: Response, after: number): Promise<Answer | undefined> {
    let newest = after;
    let rest = '';
    let last: Answer | undefined;
    const decoder = new TextDecoder();
    const at = this.#told.push(`${this.#location ?? 'POST'} after ${after}:`) - 1;
    for await (const piece of response.body ?? []) {
      rest += decoder.decode(piece, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = seqOf(block) ?? newest + 1;
        if (id <= newest) this.#repeated++;
        else if (seqOf(block) !== undefined) newest = id;
        this.#told[at] += ` ${/^event: (.*)$/m.exec(block)?.[1]} ${/^id: (.*)$/m.exec(block)?.[1] ?? ''}`;
        last = this.#take(block) ?? last;
      }
      if (this.#job.reading === 'slowly') await sleep(slowMs);
    }
    return last;
  }

  #take(block: string): Answer | undefined {
    const member = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const [event, id] = [member('event'), seqOf(block)];
    if (event === undefined) return undefined;
    const data = JSON.parse(member('data') ?? 'null') as Record<string, unknown>;
    // A run that was told again from its beginning says the same again.
    if (id !== undefined && id > (this.#ids.at(-1) ?? 0)) this.#ids.push(id);
    if (event === 'result') return toAnswer(data);
    if (event === 'error') return { status: Number(data['status']), body: data, location: null };
    this.#learnId(data['run_id']);
    return undefined;
  }

  #learn({ body, location }: Answer): void {
    const told = body as { readonly run_id?: unknown; readonly run?: { readonly run_id?: unknown } } | null;
    this.#learnId(told?.run_id ?? told?.run?.run_id);
    if (location) this.#location = location;
  }

  /** The id of a run below is that of its root, and more. */
  #learnId(runId: unknown): void {
    if (typeof runId !== 'string' || this.#runId !== undefined) return;
    this.#runId = runId.split('.')[0];
    this.#location ??= `${this.#job.path}/runs/${this.#runId}`;
  }
}

/** The last event has the answer with its status, or, of a run that is followed, what the answer holds. */
function toAnswer(data: Readonly<Record<string, unknown>> | null): Answer {
  const [status, problem] = [data?.['status'], data?.['problem'] as { readonly status?: number } | undefined];
  if (typeof status === 'number' && data && 'body' in data)
    return { status, body: data['body'], location: null };
  return { status: status === 'failed' ? (problem?.status ?? 500) : 200, body: data, location: null };
}

/** A run that failed for want of something, such as a tool that could not write, says so with its own status. */
function hasEnded({ body }: Answer): boolean {
  const { run } = (body ?? {}) as { readonly run?: { readonly status?: string } };
  return run?.status === 'failed';
}

/** Told of an earlier turn that waits for a human, or that it was too slow: it asks again. */
function isBusy({ body }: Answer): boolean {
  const { code } = (body ?? {}) as { readonly code?: string };
  return code === 'session_waits' || code === 'reader_too_slow';
}

/** The number of a step: its event has the id `<run>/<seq>`. */
function seqOf(block: string): number | undefined {
  const [, seq] = /^id: [^/]+\/(\d+)$/m.exec(block) ?? [];
  return seq === undefined ? undefined : Number(seq);
}
