import { type Host, Partners, type Trouble } from '@waymark/contract/engine';
import type { DeliveryLine, KeptDelivery, WebhookEndpoint } from '@waymark/contract/stores';
import { afterAttempt, type Decided } from './after-attempt.ts';
import { type AttemptResult, faultOf, unreachableStatuses } from './attempt-result.ts';
import { chooseDelivery } from './choose-delivery.ts';
import { longestMs, troubleAt } from './schedule.ts';
import { sendDelivery } from './send-delivery.ts';
import { SenderLease } from './sender-lease.ts';
import { shownNames } from './shown-names.ts';
import { SteadyClock } from './steady-clock.ts';

/** How often the outbox is looked at, which others write into. */
const lookMs = 500;

/** A store that fails is left alone for so long. */
const storePauseMs = 5_000;

/** Requests at once, one for each endpoint, and those among them to endpoints that failed last: they may all hang. */
export const places = { all: 8, failing: 4 };

/** What was settled is kept for so long, and looked for so often. */
const keepMs = 3 * 24 * 3_600_000;
const pruneMs = 600_000;

/** An endpoint in trouble is asked every twelve minutes at least. */
const forgottenMs = 900_000;

/** What a stop waits for the answers that are on their way. */
const graceMs = 500;

/** Of what a line dropped one event tells, this often at most. */
const reportMs = 60_000;

/** Sends what waits in the outbox: in order for each endpoint as far as retries allow, and endpoints side by side. */
export class Sender {
  readonly #host: Host;
  readonly #endpoints: ReadonlyMap<string, WebhookEndpoint>;
  readonly #clock: SteadyClock;
  readonly #lease: SenderLease;
  readonly #random: () => number;
  readonly #partners: Partners;
  /** Of each endpoint, what everybody may read. */
  readonly #shown: ReadonlyMap<string, string>;
  readonly #underWay = new Map<string, { readonly failing: boolean; readonly ended: Promise<void> }>();
  readonly #stopping = new AbortController();
  /** What was told of each line, and when. */
  readonly #reports = new Map<string, { readonly dropped: number; readonly atMs: number }>();
  #looking: Promise<void> | undefined;
  #again = false;
  #prunedMs: number | undefined;

  /** @param random from 0, below 1 */
  constructor(host: Host, endpoints: readonly WebhookEndpoint[], random: () => number = Math.random) {
    this.#host = host;
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
    this.#clock = new SteadyClock(host);
    this.#lease = new SenderLease(host);
    this.#random = random;
    this.#partners = new Partners('webhook', { monotonic: () => host.monotonic(), forgottenMs });
    this.#shown = shownNames(endpoints);
  }

  /** Which endpoints fail. */
  get troubles(): readonly Trouble[] {
    return this.#partners.troubles();
  }

  start(): void {
    let isWell = true;
    const look = async (): Promise<void> => {
      try {
        await this.wake();
        isWell = true;
      } catch (error) {
        if (isWell) this.#host.log('error', 'the outbox cannot be read or written', { error });
        isWell = false;
      }
      this.#host.after(isWell ? lookMs : storePauseMs, look);
    };
    this.#host.after(0, look);
  }

  /** Looks at the outbox now; what is found is sent behind it. */
  wake(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return this.#looking;
    }
    this.#looking = this.#lookAround().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** What is under way may come to its end for a moment; what does not is sent again, by whoever comes next. */
  async stop(): Promise<void> {
    const ended = Promise.all([...this.#underWay.values()].map((one) => one.ended));
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([ended, grace]);
    clearTimeout(timer);
    this.#stopping.abort();
    await ended;
    await this.#looking?.catch(() => {});
    await this.#lease.release();
  }

  async #lookAround(): Promise<void> {
    do {
      this.#again = false;
      if (this.#isOver || !(await this.#lease.hold())) return;
      await this.#prune();
      await this.#sendDue();
    } while (this.#again);
  }

  get #isOver(): boolean {
    return this.#host.signal.aborted || this.#stopping.signal.aborted;
  }

  async #sendDue(): Promise<void> {
    const { outbox } = this.#host.stores;
    const nowMs = this.#clock.now();
    const lines = (await outbox.lines()).filter(({ endpoint }) => this.#endpoints.has(endpoint));
    for (const line of lines) this.#report(line);
    const idle = lines.filter(({ endpoint }) => !this.#underWay.has(endpoint));
    const choices = idle.flatMap((line) => chooseDelivery(line, nowMs) ?? []);
    if (choices.length === 0) return;
    const byName = new Map(lines.map((line) => [line.endpoint, line]));
    // Who has waited longest comes first, so that none of many endpoints is always the last.
    const due = [...(await outbox.next(choices, nowMs))].sort((a, b) => a.dueMs - b.dueMs);
    for (const delivery of due) {
      const line = byName.get(delivery.endpoint);
      const endpoint = this.#endpoints.get(delivery.endpoint);
      if (!line || !endpoint || !this.#hasPlace(line) || !this.#lease.held || this.#isOver) continue;
      const ended = this.#send(delivery, endpoint, line);
      this.#underWay.set(line.endpoint, { failing: line.failures > 0, ended });
    }
  }

  #hasPlace({ failures }: DeliveryLine): boolean {
    const taken = [...this.#underWay.values()];
    if (taken.length >= places.all) return false;
    return failures === 0 || taken.filter(({ failing }) => failing).length < places.failing;
  }

  /** Never rejects. */
  async #send(delivery: KeptDelivery, endpoint: WebhookEndpoint, line: DeliveryLine): Promise<void> {
    const { outbound, env, now, log } = this.#host;
    try {
      const result = await sendDelivery(delivery, endpoint, { outbound, env, now }, this.#stopping.signal);
      // What was cut off says nothing of the receiver.
      if (this.#stopping.signal.aborted && result.error !== null) return;
      this.#judge(endpoint, result);
      await this.#settle(delivery, line, result);
    } catch (error) {
      // It stays due, and is sent once more under the same id.
      log('error', 'what became of a webhook message could not be stored', {
        endpoint: line.endpoint,
        error,
      });
      await this.#pause();
    } finally {
      this.#underWay.delete(line.endpoint);
      // Why a look fails is said by the next one that nobody asked for.
      if (!this.#isOver) void this.wake().catch(() => {});
    }
  }

  #judge({ name }: WebhookEndpoint, result: AttemptResult): void {
    const partner = this.#partners.of(this.#shown.get(name) ?? name);
    const fault = faultOf(result);
    if (fault !== undefined) partner.failed(fault);
    else if (result.error === null) partner.answered();
  }

  async #settle(delivery: KeptDelivery, line: DeliveryLine, result: AttemptResult): Promise<void> {
    const { outbox } = this.#host.stores;
    const { endpoint } = line;
    const nowMs = this.#clock.now();
    const giveUpSinceMs = this.#clock.ago(longestMs);
    const decided = afterAttempt({ delivery, line, result, nowMs, giveUpSinceMs, random: this.#random });
    await outbox.settle(delivery, decided.attempt, decided.condition);
    this.#tell(delivery, line, decided);
    if (decided.others === 'release') await outbox.release(endpoint, unreachableStatuses, nowMs);
    if (decided.others === 'give-up-old') await outbox.giveUp(endpoint, 'expired', giveUpSinceMs);
    if (decided.others === 'give-up-all') await outbox.giveUp(endpoint, 'gone');
  }

  #tell({ id, attempts }: KeptDelivery, line: DeliveryLine, { attempt, condition }: Decided): void {
    const { emit, log } = this.#host;
    const { endpoint } = line;
    const { status, error, state } = attempt;
    if (state === 'failed')
      emit({ kind: 'webhook_failed', endpoint, message: id, attempts: attempts + 1, status, error });
    if (condition.stopped) {
      emit({ kind: 'webhook_stopped', endpoint, status });
      log(
        'warn',
        'an endpoint of webhooks wants no more messages (410): nothing is sent to it until redeliver',
        {
          endpoint,
        },
      );
    } else if (condition.failures === troubleAt && line.failures < troubleAt) {
      log('warn', 'an endpoint of webhooks fails again and again', { endpoint, status, error });
    } else if (condition.failures === 0 && line.failures >= troubleAt) {
      log('info', 'an endpoint of webhooks takes messages again', { endpoint });
    }
  }

  /** What was dropped before this process began was told by another one. */
  #report({ endpoint, dropped }: DeliveryLine): void {
    const { monotonic, emit, log } = this.#host;
    const elapsedMs = monotonic();
    const told = this.#reports.get(endpoint) ?? { dropped, atMs: Number.NEGATIVE_INFINITY };
    const isNews = dropped > told.dropped && elapsedMs - told.atMs >= reportMs;
    this.#reports.set(endpoint, isNews ? { dropped, atMs: elapsedMs } : told);
    if (!isNews) return;
    const count = dropped - told.dropped;
    emit({ kind: 'webhook_dropped', endpoint, count });
    log('warn', 'messages of an endpoint were dropped: too many wait', { endpoint, count });
  }

  async #prune(): Promise<void> {
    const elapsedMs = this.#host.monotonic();
    if (this.#prunedMs !== undefined && elapsedMs - this.#prunedMs < pruneMs) return;
    this.#prunedMs = elapsedMs;
    await this.#host.stores.outbox.prune(this.#clock.ago(keepMs), [...this.#endpoints.keys()]);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#host.after(storePauseMs, resolve);
      this.#stopping.signal.addEventListener(
        'abort',
        () => {
          cancel();
          resolve();
        },
        { once: true },
      );
    });
  }
}
