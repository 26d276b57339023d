import type {
  Delivery,
  DeliveryChoice,
  DeliveryLine,
  DeliveryState,
  EndpointCondition,
  KeptDelivery,
  Outbox,
} from '../stores/index.ts';

/** How much a `memoryOutbox` holds. */
export interface MemoryOutboxOptions {
  /** Deliveries that are not delivered, 1 or more; 10,000. */
  readonly keep?: number;
  /** Those of one endpoint, 1 or more; 1,000. */
  readonly keepPerEndpoint?: number;
  /** Delivered ones of one endpoint, whose ids are not taken again; 100. */
  readonly keepDelivered?: number;
}

/** Keeps deliveries of this process, as `Outbox` says; a restart loses them. */
export function memoryOutbox(options: MemoryOutboxOptions = {}): Outbox {
  const lines = new Map<string, Line>();
  // Endpoints are declared, so there are as many lines as declarations.
  const lineOf = (endpoint: string): Line => {
    const line = lines.get(endpoint) ?? new Line(endpoint);
    lines.set(endpoint, line);
    return line;
  };
  const { keep = 10_000, keepPerEndpoint = 1_000, keepDelivered = 100 } = options;
  return {
    async add(delivery, atMs) {
      if ([...lines.values()].some(({ entries }) => entries.has(delivery.id))) return;
      const line = lineOf(delivery.endpoint);
      line.add(delivery, atMs);
      if (line.held > keepPerEndpoint) line.dropOldest();
      const all = [...lines.values()];
      if (all.reduce((sum, { held }) => sum + held, 0) > keep)
        all.reduce((a, b) => (b.held > a.held ? b : a)).dropOldest();
    },
    lines: async () => [...lines.values()].map((line) => line.facts),
    soonest: async () =>
      [...lines.values()].flatMap(({ endpoint, waiting }) =>
        waiting.length === 0 ? [] : [{ endpoint, dueMs: Math.min(...waiting.map(({ dueMs }) => dueMs)) }],
      ),
    next: async (choices, nowMs) =>
      choices.flatMap(({ endpoint, by }) => lines.get(endpoint)?.choose(by, nowMs) ?? []),
    async settle({ id, endpoint }, attempt, condition) {
      const line = lineOf(endpoint);
      const { state, atMs, dueMs, status, error } = attempt;
      line.change(
        (one) => one.id === id && one.state === 'waiting',
        (one) => ({ ...one, state, dueMs, status, error, attempts: one.attempts + 1, triedMs: atMs }),
      );
      line.condition = condition;
      line.last = { lastStatus: status, lastError: error, lastAtMs: atMs };
      line.forgetDelivered(keepDelivered);
    },
    async release(endpoint, statuses, nowMs) {
      lines.get(endpoint)?.change(
        ({ state, attempts, status }) =>
          state === 'waiting' && attempts > 0 && (status === null || statuses.includes(status)),
        (one) => ({ ...one, dueMs: nowMs }),
      );
    },
    async giveUp(endpoint, error, sinceMs = Number.POSITIVE_INFINITY) {
      lines.get(endpoint)?.change(
        (one) => one.state === 'waiting' && one.sinceMs <= sinceMs,
        (one) => ({ ...one, state: 'failed', error }),
      );
    },
    async redeliver(endpoint, nowMs, id) {
      const line = lines.get(endpoint);
      if (!line) return 0;
      const count = line.change(
        (one) => (id === undefined ? one.state !== 'delivered' : one.id === id),
        (one) => ({ ...one, state: 'waiting', attempts: 0, dueMs: nowMs, sinceMs: nowMs }),
      );
      if (count > 0 || id === undefined) line.condition = well;
      return count;
    },
    async kept(endpoint, limit) {
      return [...(lines.get(endpoint)?.entries.values() ?? [])].reverse().slice(0, limit);
    },
    async prune(beforeMs, endpoints) {
      for (const [endpoint, line] of lines) {
        line.forget(beforeMs, endpoints.includes(endpoint));
        const { lastAtMs } = line.last;
        const isOld = lastAtMs === null || lastAtMs < beforeMs;
        if (line.entries.size === 0 && !line.condition.stopped && isOld) lines.delete(endpoint);
      }
    },
  };
}

const well: EndpointCondition = { failures: 0, pausedUntilMs: null, stopped: false };

class Line {
  readonly endpoint: string;
  /** A map keeps the order in which deliveries came; setting an entry again does not move it. */
  readonly entries = new Map<string, KeptDelivery>();
  condition: EndpointCondition = well;
  last: Pick<DeliveryLine, 'lastStatus' | 'lastError' | 'lastAtMs'> = {
    lastStatus: null,
    lastError: null,
    lastAtMs: null,
  };
  #delivered = 0;
  #dropped = 0;
  readonly #counts: Record<DeliveryState, number> = { waiting: 0, delivered: 0, failed: 0 };

  constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  get held(): number {
    return this.#counts.waiting + this.#counts.failed;
  }

  get waiting(): readonly KeptDelivery[] {
    return [...this.entries.values()].filter(({ state }) => state === 'waiting');
  }

  get facts(): DeliveryLine {
    const { waiting, failed } = this.#counts;
    const { endpoint, condition, last } = this;
    return {
      endpoint,
      ...condition,
      waiting,
      failed,
      delivered: this.#delivered,
      dropped: this.#dropped,
      ...last,
    };
  }

  add(delivery: Delivery, atMs: number): void {
    this.entries.set(delivery.id, {
      ...delivery,
      ...{ state: 'waiting', attempts: 0, addedMs: atMs, sinceMs: atMs, dueMs: atMs },
      ...{ triedMs: null, status: null, error: null },
    });
    this.#counts.waiting++;
  }

  choose(by: DeliveryChoice['by'], nowMs: number): KeptDelivery | undefined {
    const { waiting } = this;
    switch (by) {
      case 'oldest':
        return waiting[0];
      case 'least-tried': {
        const least = Math.min(...waiting.map(({ attempts }) => attempts));
        return waiting.find(({ attempts }) => attempts === least);
      }
      case 'due':
        return waiting.find(
          ({ attempts, dueMs, triedMs }) => attempts === 0 || dueMs <= nowMs || (triedMs ?? 0) > nowMs,
        );
    }
  }

  change(which: (one: KeptDelivery) => boolean, to: (one: KeptDelivery) => KeptDelivery): number {
    const chosen = [...this.entries.values()].filter(which);
    for (const one of chosen) {
      const changed = to(one);
      this.entries.set(one.id, changed);
      this.#counts[one.state]--;
      this.#counts[changed.state]++;
      if (changed.state === 'delivered') this.#delivered++;
    }
    return chosen.length;
  }

  /** What was given up goes before what waits. */
  dropOldest(): void {
    const all = [...this.entries.values()];
    const oldest =
      all.find(({ state }) => state === 'failed') ?? all.find(({ state }) => state === 'waiting');
    if (oldest) this.#delete(oldest);
  }

  forgetDelivered(keep: number): void {
    if (this.#counts.delivered <= keep) return;
    const delivered = [...this.entries.values()].filter(({ state }) => state === 'delivered');
    for (const one of delivered.slice(0, -keep || delivered.length)) this.#delete(one);
  }

  forget(beforeMs: number, isDeclared: boolean): void {
    for (const one of this.entries.values()) {
      const isOld = (one.state === 'waiting' ? one.sinceMs : (one.triedMs ?? one.addedMs)) < beforeMs;
      if (isOld && (one.state !== 'waiting' || !isDeclared)) this.#delete(one);
    }
  }

  #delete({ id, state }: KeptDelivery): void {
    this.entries.delete(id);
    this.#counts[state]--;
    if (state === 'waiting') this.#dropped++;
  }
}
