import { HTTPError, type Json, type Progress, type Values } from '@waymark/contract';
import { type Call, problemResponse, type RouteResponse } from '@waymark/contract/engine';
import {
  type RunEnd,
  RunFailed,
  type Runner,
  type RunOutcome,
  type RunScope,
  type RunSpec,
} from '@waymark/contract/runs';
import { type Asked, type Journal, toApproval, toSteps, toUsage } from './journal.ts';
import { type MemoryLeg, MemoryScope, type MemoryStep } from './memory-scope.ts';

/** Runs in memory, with a journal: for tests of drivers. A leg ends when everything in it waits for a human. */
export class MemoryRunner implements Runner {
  readonly journals = new Map<string, Journal>();
  readonly sessions = new Map<string, readonly Json[]>();
  /** What every root was opened with. */
  readonly specs: RunSpec[] = [];

  get journal(): Journal {
    const newest = [...this.journals.values()].at(-1);
    if (!newest) throw new Error('nothing ran yet');
    return newest;
  }

  /** Answers what a human was asked about a tool. */
  answer(tool: string, status: Asked['status'], note = ''): void {
    const asked = this.journal.asked.find((one) => one.tool === tool && one.status === 'pending');
    if (!asked) throw new Error(`nobody was asked about ${tool}`);
    Object.assign(asked, { status, note });
  }

  async open<T extends Json>(
    spec: RunSpec,
    call: Call,
    _input: Values,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>> {
    this.specs.push(spec);
    if (call.step) return this.#openChild(spec, call, body);
    const runId = call.resume?.rootId ?? `run${this.journals.size + 1}`;
    const journal: Journal = this.journals.get(runId) ?? {
      spec,
      principal: call.principal,
      rows: [],
      asked: [],
      ord: 0,
    };
    this.journals.set(runId, journal);
    const { session } = spec;
    if (session?.reset && call.resume === undefined) this.sessions.delete(session.key);
    const history = session ? (this.sessions.get(session.key) ?? []) : [];
    let onHeld = (): void => {};
    const held = new Promise<'held'>((resolve) => {
      onHeld = () => resolve('held');
    });
    const leg = toLeg(journal, call, history, () => onHeld());
    const scope = new MemoryScope(runId, journal.spec, call.principal, leg);
    const end = await Promise.race([this.#work(scope, body), held]);
    const report = this.#report(scope, journal.spec);
    if (end === 'held') {
      const approvals = journal.asked.filter(({ status }) => status === 'pending');
      return {
        ...report,
        status: 'awaiting_approval',
        waits: [],
        approvals: approvals.map((one) => toApproval(one, journal)),
      };
    }
    if (session && end.session && end.status !== 'failed') {
      const { messages, replaces = false } = end.session;
      this.sessions.set(session.key, [...(replaces ? [] : history), ...messages]);
    }
    return { ...report, status: end.status, value: end.value };
  }

  async #openChild<T extends Json>(
    spec: RunSpec,
    { step, principal }: Call,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>> {
    const { key, scope: above, leg } = step as MemoryStep;
    const scope = new MemoryScope(key, spec, principal, leg, above);
    const end = await this.#work(scope, body);
    return { ...this.#report(scope, spec), status: end.status, value: end.value };
  }

  async #work<T extends Json>(
    scope: MemoryScope,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunEnd<T>> {
    try {
      const end = await body(scope);
      if (scope.forgotten) throw new Error('replay mismatch: a recorded step was not asked for');
      return JSON.parse(JSON.stringify(end)) as RunEnd<T>;
    } catch (error) {
      const { status, message, members } =
        error instanceof HTTPError ? error : new HTTPError(500, String(error), {});
      throw new RunFailed(this.#report(scope, this.journal.spec), {
        code: members.code ?? 'internal',
        message,
        status,
      });
    }
  }

  #report(scope: MemoryScope, spec: RunSpec) {
    const { rows } = scope;
    const handoffs = rows.filter(({ kind }) => kind === 'handoff').map(({ name }) => name);
    return {
      runId: scope.runId,
      path: [spec.name, ...handoffs],
      steps: toSteps(rows, spec.name),
      usage: toUsage(rows, spec, this.journal.rows),
    };
  }

  decide = (): Promise<RouteResponse> => Promise.reject(new Error('answer it'));
  cancel = (): Promise<void> => Promise.reject(new Error('not here'));
  cancelOwn = (): Promise<void> => Promise.reject(new Error('not here'));
  memos = (): Promise<never> => Promise.reject(new Error('not here'));
  newestMemo = (): Promise<never> => Promise.reject(new Error('not here'));
  acknowledge = (): Promise<never> => Promise.reject(new Error('not here'));
  countRuns = async () => new Map();
  tailSteps = () => ({ read: async () => ({ steps: [], missed: false }) });

  async read(rootId: string, route: string): Promise<RouteResponse> {
    return problemResponse(404, `${route} has no run ${rootId}`);
  }

  async *follow(rootId: string, _route: string, lastSeq: number): AsyncGenerator<Progress> {
    yield { event: 'step', data: { run_id: rootId, after: lastSeq } };
    yield { event: 'result', data: null };
    throw new Error('nobody asks for more than the result');
  }
}

function toLeg(journal: Journal, call: Call, history: readonly Json[], onHeld: () => void): MemoryLeg {
  const busy = new Set<string>();
  const held = new Set<string>();
  // A step in which a run was opened waits when that does.
  const isNested = (key: string): boolean => [...held].some((one) => one.startsWith(`${key}.`));
  return {
    ...{ journal, history, busy, held },
    signal: call.signal ?? new AbortController().signal,
    deadlineMs: call.deadlineMs ?? Number.POSITIVE_INFINITY,
    observe: call.observe ?? (() => {}),
    changed: () => void watch(() => held.size > 0 && [...busy].every(isNested), onHeld),
  };
}

/** Whoever was just given a result may ask for more: what holds has to hold for some turns. */
async function watch(isStuck: () => boolean, onHeld: () => void): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    if (!isStuck()) return;
    await new Promise(setImmediate);
  }
  onHeld();
}
