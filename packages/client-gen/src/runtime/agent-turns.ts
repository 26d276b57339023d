/** A run as one socket tells it. */
export interface ToldRun {
  readonly id: string;
  /** Of the last step that was told. */
  seq: number;
  /** What was told last, where that was what it waits for. */
  waiting: string | undefined;
  /** Its beginning was told. */
  begun: boolean;
}

/** What is asked of a socket: a turn, or a run that is taken up. */
export interface SocketTurn {
  /** The name by which the service knows a turn again. */
  readonly key: string | undefined;
  /** What starts it; it is not needed any more once its run can be taken up. */
  text: string;
  /** Undefined until it is named. */
  run: ToldRun | undefined;
  /** Somebody without credentials cannot take up a run. */
  lasting: boolean;
  /**
   * `held` until it is sent, which is done again on each connection; `sent` while it stands in the line of the service;
   * `parked` when it gave way there; `later` when the service cannot tell of it now.
   */
  place: 'held' | 'sent' | 'parked' | 'later';
  /** It was sent at least once, so that the service may have begun it. */
  wasSent: boolean;
  /** A connection broke behind it, so that the service may have begun what it is sent. */
  sentAgain: boolean;
  /** The service tells of it on this connection, and can be asked to cancel it. */
  told: boolean;
  cancelled: boolean;
  /** How often in a row, without a step between, the service could not tell of it. */
  failures: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** What the service takes into its line, the one under way included, without a refusal. */
export const mostInLine = 8;
/** SocketTurns that have never been sent. */
export const mostUnsent = 1_000;

/** The turns of one socket that have not ended, in their order. */
export class SocketTurns {
  readonly #turns = new Set<SocketTurn>();

  /** @throws {RangeError} when too many have not been sent */
  add(given: Pick<SocketTurn, 'key' | 'text' | 'run' | 'lasting'>): void {
    const unsent = [...this.#turns].filter(({ wasSent }) => !wasSent).length;
    if (unsent >= mostUnsent) throw new RangeError(`${mostUnsent} turns have not been sent yet`);
    this.#turns.add({
      ...given,
      place: 'held',
      wasSent: false,
      sentAgain: false,
      told: false,
      cancelled: false,
      failures: 0,
      timer: undefined,
    });
  }

  remove(turn: SocketTurn): void {
    clearTimeout(turn.timer);
    this.#turns.delete(turn);
  }

  clear(): void {
    for (const turn of this.#turns) this.remove(turn);
  }

  /** A copy: what is done with one may end others. */
  all(): readonly SocketTurn[] {
    return [...this.#turns];
  }

  ofKey(key: string | undefined): SocketTurn | undefined {
    return key === undefined ? undefined : this.all().find((turn) => turn.key === key);
  }

  /** Those of a run, given by its id or that of a run below it. */
  ofRun(runId: unknown): readonly SocketTurn[] {
    const root = rootOf(runId);
    return this.all().filter(({ run }) => run && (run.id === runId || run.id === root));
  }

  /** The turn that the service works on, as far as is known. */
  underWay(): SocketTurn | undefined {
    const all = this.all();
    return all.find(({ place }) => place === 'sent') ?? all.find(({ place }) => place !== 'parked');
  }

  /** What may be sent now, one after the other. */
  *unsent(): Generator<SocketTurn> {
    let room = mostInLine - this.all().filter(({ place }) => place === 'sent').length;
    for (const turn of this.#turns) {
      if (room <= 0) return;
      if (turn.place !== 'held') continue;
      room--;
      turn.place = 'sent';
      turn.wasSent = true;
      yield turn;
    }
  }
}

export function rootOf(runId: unknown): string {
  return String(runId).split('.', 1)[0] ?? '';
}
