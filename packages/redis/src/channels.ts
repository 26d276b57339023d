import type { HubRecord, Subscription } from '@waymark/contract/hub';

/** How long somebody who wants to listen waits for Redis. */
const patienceMs = 5_000;

/** One device that somebody listens to. */
export interface Channel {
  readonly device: string;
  /** Greatest number of a frame that came over it. */
  seq: number;
  /** Number of the frame that was asked for after a break, until a later one is heard. */
  caughtUp: number;
  /** The line of a frame whose bytes are still to come. */
  head: string | undefined;
  /** Time of the reading that came over it last. */
  readingAtMs: number;
  /** Redis has said that it listens. */
  listening: boolean;
  /** Something may have passed unheard. */
  missed: boolean;
}

interface Listened extends Channel {
  readonly listeners: Set<(record: HubRecord) => void>;
  readonly waiting: Set<Waiter>;
}

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** What a list of channels works with. */
export interface ChannelsParts {
  /** There is a first listener. */
  opened(channel: Channel): void;
  /** There is none any more. */
  closed(channel: Channel): void;
  /** What those are told who have waited for too long. */
  unreachable(): Error;
}

/** The devices that somebody in this process listens to. */
export class Channels {
  readonly #parts: ChannelsParts;
  readonly #channels = new Map<string, Listened>();

  constructor(parts: ChannelsParts) {
    this.#parts = parts;
  }

  get all(): readonly Channel[] {
    return [...this.#channels.values()];
  }

  of(device: string): Channel | undefined {
    return this.#channels.get(device);
  }

  subscribe(device: string, listener: (record: HubRecord) => void): Subscription {
    const known = this.#channels.get(device);
    const channel = known ?? newChannel(device);
    // One registration, one entry: the same function may be given twice.
    const entry = (record: HubRecord): void => listener(record);
    channel.listeners.add(entry);
    const waiter = channel.listening ? undefined : this.#wait(channel);
    if (!known) {
      this.#channels.set(device, channel);
      this.#parts.opened(channel);
    }
    const cancel = (): void => {
      if (!channel.listeners.delete(entry)) return;
      waiter?.leave();
      if (channel.listeners.size > 0 || this.#channels.get(device) !== channel) return;
      this.#channels.delete(device);
      this.#parts.closed(channel);
    };
    return { ready: waiter?.ready ?? Promise.resolve(), cancel };
  }

  /** Redis listens to it from here on, unless all have left it: it does not yet to another of that device, which came since. */
  listen(channel: Channel): void {
    const listened = this.#channels.get(channel.device);
    if (listened !== channel) return;
    listened.listening = true;
    for (const waiter of listened.waiting) waiter.resolve();
  }

  /** Redis listens to none any more. */
  lose(): void {
    for (const channel of this.#channels.values()) {
      if (channel.listening) channel.missed = true;
      channel.listening = false;
      channel.head = undefined;
    }
  }

  tell(device: string, record: HubRecord): void {
    const channel = this.#channels.get(device);
    if (!channel) return;
    if (record.kind === 'frame') channel.seq = Math.max(channel.seq, record.seq);
    if (record.kind === 'telemetry') channel.readingAtMs = record.atMs;
    for (const listener of channel.listeners) listener(record);
  }

  clear(): void {
    const all = [...this.#channels.values()];
    this.#channels.clear();
    for (const { listeners, waiting } of all) {
      listeners.clear();
      for (const waiter of waiting) waiter.reject(this.#parts.unreachable());
    }
  }

  #wait({ waiting }: Listened): { readonly ready: Promise<void>; leave(): void } {
    const { unreachable } = this.#parts;
    let leave = (): void => {};
    const ready = new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        resolve() {
          leave();
          resolve();
        },
        reject(error) {
          leave();
          reject(error);
        },
      };
      const timer = setTimeout(() => waiter.reject(unreachable()), patienceMs);
      waiting.add(waiter);
      leave = () => {
        clearTimeout(timer);
        waiting.delete(waiter);
      };
    });
    // Who cancels need not have waited.
    ready.catch(() => {});
    return { ready, leave: () => leave() };
  }
}

function newChannel(device: string): Listened {
  return {
    ...{
      device,
      seq: 0,
      caughtUp: 0,
      head: undefined,
      readingAtMs: Number.NEGATIVE_INFINITY,
      listening: false,
      missed: false,
    },
    ...{ listeners: new Set(), waiting: new Set() },
  };
}
