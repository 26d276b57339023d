import type { Trouble } from '@waymark/contract/engine';
import type {
  DeviceReport,
  FrameRecord,
  HubBackend,
  HubRecord,
  Insight,
  StatusRecord,
  Subscription,
  TelemetryRecord,
} from '@waymark/contract/hub';
import { type Channel, Channels } from './channels.ts';
import { frameHead, kinds, parseHead, parseMessage, parseReport, parseTelemetry } from './hub-message.ts';
import { hubScripts } from './hub-scripts.ts';
import { goneTrouble, RedisCommands, type RedisLog } from './redis-commands.ts';
import { RedisLine } from './redis-line.ts';
import { parseRedisUrl } from './redis-url.ts';
import { UnderWay } from './under-way.ts';

/** Options of a backend in Redis. */
export interface RedisBackendOptions {
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string;
  /** In front of all keys and channels, with a colon behind it: the services of one name share their devices. Default: `waymark`. */
  readonly prefix?: string;
  /** Gives the number of frames to keep of a device, 1 or more; default: 8 of each. */
  readonly keep?: (device: string) => number;
  /** Milliseconds that what is kept of a device outlives its last word; default: 604,800,000 (7 days). */
  readonly keepMs?: number;
  /** Makes the error of `open` where Redis refuses who comes; default: a `DeclarationError` of the hub. */
  readonly refused?: (rule: string, fix: string) => Error;
}

const week = 604_800_000;

/** What may wait for a slow Redis, bytes; more is refused. */
const limits = { perDevice: 16_777_216, total: 134_217_728 } as const;

/** Behind the name of the channel of a device. */
const bytesChannel = ':bytes';

const who = 'the device hub';
const code = 'hub';

/**
 * Makes a backend that keeps device state in a Redis or Valkey, so that all processes with the same URL and prefix share their
 * devices. It connects when it is opened.
 *
 * @throws {Error} the URL is none
 */
export function createRedisBackend(options: RedisBackendOptions): HubBackend {
  return new RedisBackend(options);
}

/** What this process said last of a device. */
interface Said {
  readonly device: string;
  readonly reporter: string;
  readonly report: DeviceReport;
  readonly untilMs: number;
}

class RedisBackend implements HubBackend {
  readonly #prefix: string;
  readonly #keep: (device: string) => number;
  readonly #keepMs: number;
  readonly #commands: RedisCommands;
  /** Whoever listens asks nothing else: what is told is never behind an answer. */
  readonly #ears: RedisLine;
  readonly #channels: Channels;
  readonly #underWay = new UnderWay(limits);
  /** Greatest number known of each device. A Redis that has lost what it kept goes on behind it. */
  readonly #numbers = new Map<string, number>();
  readonly #said = new Map<string, Said>();
  #log: RedisLog = () => {};
  #strange = 0;
  #closed = false;

  constructor(options: RedisBackendOptions) {
    const { url, prefix = 'waymark', keep = () => 8, keepMs = week, refused } = options;
    this.#prefix = prefix;
    this.#keep = keep;
    this.#keepMs = keepMs;
    this.#commands = new RedisCommands({
      ...{ url, who, code, refused, scripts: Object.values(hubScripts) },
      up: () => void this.#back(),
    });
    this.#channels = new Channels({
      opened: (channel) => void this.#listen([channel]),
      closed: ({ device }) => this.#unlisten(device),
      unreachable: () => this.#commands.unreachable(),
    });
    this.#ears = new RedisLine({
      place: parseRedisUrl(url),
      name: 'waymark-hub-ears',
      up: () => void this.#listen(this.#channels.all),
      down: () => this.#channels.lose(),
    });
    this.#ears.redis.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      this.#heard(channel.toString('utf8', this.#prefix.length + 1), message);
    });
  }

  async open(log: RedisLog): Promise<void> {
    this.#log = log;
    const listening = this.#ears.open();
    try {
      await this.#commands.open(log);
    } catch (error) {
      await this.close();
      throw error;
    }
    await listening;
  }

  troubles(): readonly Trouble[] {
    const [first] = this.#commands.troubles;
    if (first) return [first];
    return this.#closed || this.#ears.isUp ? [] : [goneTrouble(who, code)];
  }

  async publishFrame(device: string, frame: Omit<FrameRecord, 'kind' | 'seq'>): Promise<number> {
    const { bytes } = frame;
    const leave = this.#underWay.enter(device, bytes.length);
    if (!leave) throw this.#commands.busy();
    try {
      const seq = await this.#commands.write(
        hubScripts.frame,
        this.#key(device),
        frameHead(frame),
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
        this.#keep(device),
        this.#keepMs,
        this.#numbers.get(device) ?? 0,
        this.#channel(device),
      );
      this.#know(device, Number(seq));
      return Number(seq);
    } finally {
      leave();
    }
  }

  async publishTelemetry(device: string, telemetry: Omit<TelemetryRecord, 'kind'>): Promise<void> {
    const text = JSON.stringify(telemetry);
    const leave = this.#underWay.enter(device, text.length);
    if (!leave) throw this.#commands.busy();
    const args = [text, this.#keepMs, this.#channel(device)];
    await this.#commands.write(hubScripts.telemetry, this.#key(device), ...args).finally(leave);
  }

  async publishInsight(insight: Insight): Promise<void> {
    await this.#tell(insight.device, kinds.insight, insight);
  }

  async publishStatus(device: string, status: Omit<StatusRecord, 'kind'>): Promise<void> {
    await this.#tell(device, kinds.status, status);
  }

  async newest(device: string): Promise<FrameRecord | undefined> {
    const [head, bytes] = toList(await this.#commands.run(hubScripts.newest, this.#key(device)));
    return toFrame(head, bytes);
  }

  async recent(device: string): Promise<readonly FrameRecord[]> {
    const slots = Array.from({ length: this.#keep(device) }, (_, i) => [`h${i}`, `b${i}`]).flat();
    const kept = await this.#commands.ask((redis) => redis.hmgetBuffer(this.#key(device), ...slots));
    const frames = kept.flatMap((head, i) => (i % 2 === 0 ? (toFrame(head, kept[i + 1]) ?? []) : []));
    return frames.sort((a, b) => a.seq - b.seq);
  }

  async telemetry(device: string): Promise<TelemetryRecord | undefined> {
    const text = await this.#commands.ask((redis) => redis.hget(this.#key(device), 't'));
    return text === null ? undefined : parseTelemetry(text);
  }

  async report(device: string, reporter: string, report: DeviceReport, ttlMs: number): Promise<void> {
    const said = { device, reporter, report, untilMs: performance.now() + ttlMs };
    if (!this.#closed) this.#said.set(`${reporter} ${device}`, said);
    await this.#report(said, ttlMs);
  }

  async reports(device: string): Promise<ReadonlyMap<string, DeviceReport>> {
    const told = toList(await this.#commands.run(hubScripts.reports, `${this.#key(device)}:reports`));
    return new Map(
      told.flatMap((reporter, i) => {
        const report = i % 2 === 0 && parseReport(String(told[i + 1]));
        return report ? [[String(reporter), report] as const] : [];
      }),
    );
  }

  subscribe(device: string, listener: (record: HubRecord) => void): Subscription {
    return this.#channels.subscribe(device, listener);
  }

  async claim(device: string, holder: string, ttlMs: number): Promise<boolean> {
    const key = `${this.#key(device)}:claim`;
    return (await this.#commands.write(hubScripts.claim, key, holder, Math.ceil(ttlMs))) === 1;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#said.clear();
    this.#channels.clear();
    await Promise.all([this.#commands.close(), this.#ears.close(0)]);
  }

  /** In braces, so that all that is kept of a device is in one place of a cluster. */
  #key(device: string): string {
    return `${this.#prefix}:{${device}}`;
  }

  #channel(device: string): string {
    return `${this.#prefix}:${device}`;
  }

  #channelsOf(device: string): readonly string[] {
    return [this.#channel(device), this.#channel(device) + bytesChannel];
  }

  #know(device: string, seq: number): void {
    if (seq > (this.#numbers.get(device) ?? 0)) this.#numbers.set(device, seq);
  }

  async #tell(device: string, kind: string, value: object): Promise<void> {
    const text = kind + JSON.stringify(value);
    await this.#commands.write(hubScripts.tell, this.#key(device), text, this.#channel(device));
  }

  async #report({ device, reporter, report }: Said, ttlMs: number): Promise<void> {
    const key = `${this.#key(device)}:reports`;
    await this.#commands.write(hubScripts.report, key, reporter, JSON.stringify(report), Math.ceil(ttlMs));
  }

  #heard(name: string, message: Buffer): void {
    const isBytes = name.endsWith(bytesChannel);
    const device = isBytes ? name.slice(0, -bytesChannel.length) : name;
    const channel = this.#channels.of(device);
    if (!channel) return;
    const record = isBytes ? takeFrame(channel, message) : parseMessage(message);
    if (!record) this.#passOver(device);
    else if (record.kind === 'head') channel.head = record.text;
    else if (record.kind !== 'frame' || !this.#isKnown(channel, record)) this.#channels.tell(device, record);
  }

  /** Whether it was told already: it was the newest when a line that broke was back. */
  #isKnown(channel: Channel, { seq }: FrameRecord): boolean {
    if (seq <= channel.caughtUp) return true;
    channel.caughtUp = 0;
    this.#know(channel.device, seq);
    // Of a process that does not know what the numbers were before Redis lost them.
    if (seq <= channel.seq) void this.#raise(channel.device).catch(() => {});
    return false;
  }

  /** Somebody else writes there. It is said once. */
  #passOver(device: string): void {
    if (this.#strange++ > 0) return;
    this.#log('warn', 'Redis gives something that no hub has written; it is passed over', { device });
  }

  async #raise(device: string): Promise<void> {
    const known = this.#numbers.get(device) ?? 0;
    if (known > 0) await this.#commands.run(hubScripts.raise, this.#key(device), known, this.#keepMs);
  }

  async #listen(channels: readonly Channel[]): Promise<void> {
    if (!this.#ears.isUp || channels.length === 0) return;
    try {
      await this.#ears.redis.subscribe(...channels.flatMap(({ device }) => this.#channelsOf(device)));
    } catch {
      // The line broke: it asks for all of them when it is back. Or Redis refuses: those who wait are told.
      return;
    }
    for (const channel of channels) this.#channels.listen(channel);
    await this.#catchUp();
  }

  #unlisten(device: string): void {
    if (this.#ears.isUp) this.#ears.redis.unsubscribe(...this.#channelsOf(device)).catch(() => {});
  }

  /** Redis answers again, and may have lost everything. */
  async #back(): Promise<void> {
    const nowMs = performance.now();
    for (const [key, said] of this.#said) {
      if (said.untilMs <= nowMs) this.#said.delete(key);
      else void this.#report(said, said.untilMs - nowMs).catch(() => {});
    }
    await this.#catchUp();
  }

  /** Tells those who listen what passed unheard, the newest of it: numbers say how much else there was. */
  async #catchUp(): Promise<void> {
    if (!this.#commands.isUp) return;
    for (const channel of this.#channels.all) {
      if (!channel.missed || !channel.listening) continue;
      channel.missed = false;
      try {
        await this.#raise(channel.device);
        const frame = await this.newest(channel.device);
        if (frame && frame.seq > channel.seq) {
          channel.caughtUp = frame.seq;
          this.#know(channel.device, frame.seq);
          this.#channels.tell(channel.device, frame);
        }
        const reading = await this.telemetry(channel.device);
        if (reading && reading.atMs !== channel.readingAtMs) this.#channels.tell(channel.device, reading);
      } catch {
        // It broke again: the next time.
        channel.missed = true;
        return;
      }
    }
  }
}

/** The bytes of the frame whose line came last. */
function takeFrame(channel: Channel, bytes: Buffer): FrameRecord | undefined {
  const { head } = channel;
  channel.head = undefined;
  return head === undefined ? undefined : parseHead(head, bytes);
}

function toList(answer: unknown): readonly (Buffer | null)[] {
  // What our own programs give: texts, or nothing where there is none.
  return Array.isArray(answer) ? (answer as readonly (Buffer | null)[]) : [];
}

function toFrame(head: Buffer | null | undefined, bytes: Buffer | null | undefined): FrameRecord | undefined {
  return head && bytes ? parseHead(head.toString(), bytes) : undefined;
}
