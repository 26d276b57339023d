import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Cancel, EncodedMessages } from '@waymark/contract/engine';
import { UnreadText } from '@waymark/contract/http';
import type { WebSocket } from 'ws';
import { bodyPace } from '../body/body-pace.ts';
import { dropRest } from './drop-rest.ts';
import { Inbox } from './inbox.ts';
import type { MessageTurns } from './message-turns.ts';
import type { LivePeer } from './open-sockets.ts';
import { PongAnswers } from './pong-answers.ts';
import type { Sharer } from './sharer-lanes.ts';
import { type Message, toMessage } from './to-message.ts';

/**
 * Messages, pings and pongs of one socket that are taken in one turn of the event loop. `ws` tells all that a read chunk
 * holds at once, up to 10,000, and reads on: without a share of each turn one socket could have all of them.
 */
const sharePerTurn = 32;

/**
 * Bytes that count as one message more: node reads 2 MiB of a socket at once, and a message of 1 MiB takes 2 ms before anybody
 * hears it. Of a text, which is parsed then, 60 KB take as long.
 */
const bytesPerShare = { binary: 16_384, text: 1_024 } as const;

/** Messages kept before the socket stops reading; what one read chunk still holds comes on top. */
const inboxMessages = 64;
const inboxBytes = 1_048_576;
/** What a close frame has room for (RFC 6455, 5.5). */
const maxReasonBytes = 123;

/** Pings that may stay without any answer. */
const maxMissedPings = 2;
/** Tells our pings from those of whoever uses the peer. */
const heartbeat = Buffer.from('waymark');

/** The `readyState` of a socket that can be written to. */
const open: WebSocket['readyState'] = 1;

type Listeners<L> = Set<L>;

/** A peer over one accepted `ws` connection and the socket under it. */
export class SocketPeer implements LivePeer, Sharer {
  readonly callerKey: string;
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #fail: (error: unknown) => void;
  readonly #turns: MessageTurns;
  readonly #inbox = new Inbox();
  /** What may still be taken in this turn. At zero it waits for the next one. */
  #share = sharePerTurn;
  #paused = false;
  /** What was read last is of a message that is not whole. */
  #isWithin = false;
  /** What all sockets and bodies may have of this turn is used up. */
  #waitsForPace = false;
  readonly #reading = {
    cost: 0,
    goOn: (): void => {
      this.#waitsForPace = false;
      this.#readOn();
    },
  };
  #waitsForDrain = false;
  /** All is read that is told. */
  #isRead = false;
  /** Nothing is told any more but the end: `ws` goes on with what is left of the chunk that it reads. */
  #deaf = false;
  #missedPings = 0;
  #pongsHeard = 0;
  #heardBefore = 0;
  readonly #pongAnswers: PongAnswers;
  /** How it ended, which is told behind the last message. */
  #end: End | undefined;
  #closed: End | undefined;
  readonly #messages: Listeners<(message: Message) => void> = new Set();
  /** Those of them who take no text unread. */
  readonly #readers: Listeners<(message: string | Uint8Array) => void> = new Set();
  readonly #pongs: Listeners<(payload: Uint8Array) => void> = new Set();
  readonly #drains: Listeners<() => void> = new Set();
  readonly #closes: Listeners<(code: number, reason: string) => void> = new Set();

  /**
   * @param callerKey whose it is
   * @param turns of all sockets of the door
   * @param fail told what a listener throws; the socket is closed with 1011 then
   */
  constructor(
    ws: WebSocket,
    socket: Duplex,
    callerKey: string,
    turns: MessageTurns,
    fail: (error: unknown) => void,
  ) {
    this.callerKey = callerKey;
    this.#ws = ws;
    this.#socket = socket;
    this.#turns = turns;
    this.#fail = fail;
    this.#pongAnswers = new PongAnswers(ws, () => this.#watchDrain(), this.#onWritten);
    ws.on('message', (data, isBinary) => this.#receive(toMessage(data, isBinary)));
    ws.on('ping', (payload) => {
      this.#takeShare();
      this.#pongAnswers.answer(payload);
    });
    ws.on('pong', (payload) => {
      this.#takeShare();
      this.#missedPings = 0;
      this.#pongsHeard++;
      if (!this.#deaf && !payload.equals(heartbeat)) this.#tell(this.#pongs, (listener) => listener(payload));
    });
    ws.on('close', (code, reason) => {
      this.#end = { code, reason: reason.toString() };
      this.#tellEnd();
    });
    // `ws` answers a broken frame with the fitting close code and then tells `close`, but not before the other side has answered,
    // for half a minute; what comes until then it drops.
    ws.on('error', () => this.dropRest());
    if (!bodyPace.isOpen) this.#waitForPace();
  }

  get bufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  /** Upgrades of `node:http` are sockets; other streams have no such count, and only their pongs are heard. */
  get heard(): number {
    return (this.#socket as Partial<Socket>).bytesRead ?? this.#pongsHeard;
  }

  send(message: string | Uint8Array): void {
    if (this.#ws.readyState !== open) return;
    this.#ws.send(message, this.#onWritten);
    this.#watchDrain();
  }

  /** Without compression `ws` writes each frame within its `send`, so frames written beside it keep their order. */
  sendEncoded({ bytes }: EncodedMessages): void {
    if (this.#ws.readyState !== open) return;
    this.#socket.write(bytes, this.#onWritten);
    this.#watchDrain();
  }

  ping(payload: Uint8Array): void {
    if (this.#ws.readyState !== open) return;
    // What waits behind a full socket is waited for, whatever it is, or nobody would be told that it drained.
    this.#ws.ping(payload, undefined, this.#onWritten);
    this.#watchDrain();
  }

  /** Any byte counts as an answer: the pong may wait behind a large message. */
  beat(): void {
    // What is not read cannot be heard.
    if (this.#ws.readyState !== open || this.#ws.isPaused) return;
    const { heard } = this;
    if (heard !== this.#heardBefore) this.#missedPings = 0;
    this.#heardBefore = heard;
    if (this.#missedPings === maxMissedPings) this.terminate();
    else {
      this.#missedPings++;
      this.#ws.ping(heartbeat);
    }
  }

  close(code?: number, reason?: string): void {
    this.#ws.close(code, reason === undefined ? undefined : cut(reason));
  }

  /** As `ws` does behind a broken frame: a handshake would let the other side go on, for as long as it does not answer. */
  shut(code: number, reason: string): void {
    this.#stopHearing();
    this.close(code, reason);
    this.dropRest();
    this.#end ??= { code, reason };
    this.#tellEnd();
  }

  /** Reads nothing more but what is dropped, and ends the socket: behind the last frame that is of interest. */
  dropRest(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    dropRest(this.#socket);
  }

  terminate(): void {
    this.#stopHearing();
    this.#ws.terminate();
    this.#tellEnd();
  }

  pause(): void {
    this.#paused = true;
    this.#stopReading();
  }

  resume(): void {
    this.#paused = false;
    this.#deliver();
  }

  onMessage(listener: (message: string | Uint8Array) => void): Cancel {
    // Nothing is told unread while there is one.
    const leave = add(this.#readers, listener);
    const cancel = this.onUnread(listener as (message: Message) => void);
    return () => {
      leave();
      cancel();
    };
  }

  onUnread(listener: (message: Message) => void): Cancel {
    const cancel = add(this.#messages, listener);
    this.#deliver();
    return () => {
      cancel();
      this.#tellEnd();
    };
  }

  onPong(listener: (payload: Uint8Array) => void): Cancel {
    return add(this.#pongs, listener);
  }

  onDrain(listener: () => void): Cancel {
    return add(this.#drains, listener);
  }

  onClose(listener: (code: number, reason: string) => void): Cancel {
    const closed = this.#closed;
    if (!closed) return add(this.#closes, listener);
    const turn = setImmediate(() => this.#tell([listener], (tell) => tell(closed.code, closed.reason)));
    return () => clearImmediate(turn);
  }

  /**
   * Takes what was read of a message that is not whole of what bodies have in a turn, all together; nothing more is read in
   * this one where that is used up.
   */
  takePiece(bytes: number): void {
    if (this.#deaf) return;
    this.#isWithin = true;
    this.#reading.cost += bytes;
    if (!bodyPace.take(bytes)) this.#waitForPace();
  }

  /** Whether messages are still heard: else what comes is dropped. */
  isHeard(): boolean {
    return !this.#deaf && !this.#isRead;
  }

  /** Whether what was read may be told in this turn; else nothing more is, and it has to be kept. */
  mayRead(): boolean {
    if (!this.isHeard()) return true;
    // Its next piece may be its last, and it is put together then.
    if (this.#isWithin && !bodyPace.isOpen) {
      this.#waitForPace();
      return false;
    }
    if (this.#share > 0) {
      if (this.#turns.mayBegin(this)) return true;
      this.#share = 0;
    }
    this.#stopReading();
    return false;
  }

  takeTurn(): number {
    const before = this.#inbox.length;
    const held = this.#ws.isPaused;
    this.#share = sharePerTurn;
    this.#deliver();
    // To read on costs as much: what the next chunk holds is parsed at once.
    return held && !this.#ws.isPaused ? sharePerTurn : before - this.#inbox.length;
  }

  #receive(message: Message): void {
    this.#isWithin = false;
    if (this.#deaf) return;
    const heard = this.#messages.size > 0;
    if (heard && !this.#paused && this.#inbox.length === 0 && this.#takeShare(message)) {
      this.#hand(message);
      return;
    }
    // `ws` hands out views, and each early message kept would pin a read chunk of 64 KB (measured). Those behind a full
    // share or a pause are of one chunk, since nothing more is read.
    this.#inbox.push(heard || !(message instanceof Uint8Array) ? message : new Uint8Array(message));
    if (this.#isFull()) this.#stopReading();
  }

  #hand(message: Message): void {
    const told = message instanceof UnreadText && this.#readers.size > 0 ? message.read() : message;
    this.#tell(this.#messages, (listener) => listener(told));
  }

  #stopHearing(): void {
    this.#deaf = true;
    this.#inbox.clear();
  }

  /** Takes one of this turn's share. False when there is none left; nothing more is read then until the next turn. */
  #takeShare(message: Message = ''): boolean {
    if (this.#share <= 0) {
      this.#stopReading();
      return false;
    }
    const more = Math.floor(
      message.length / bytesPerShare[message instanceof Uint8Array ? 'binary' : 'text'],
    );
    this.#share -= 1 + more;
    if (this.#share > 0) return true;
    this.#turns.wait(this);
    // Behind a large message there may be the next one, of which nobody is told before it is whole.
    if (more > 0) this.#stopReading();
    return true;
  }

  #isFull(): boolean {
    return this.#inbox.length >= inboxMessages || this.#inbox.bytes >= inboxBytes;
  }

  #deliver(): void {
    const inbox = this.#inbox;
    while (!this.#paused && this.#messages.size > 0 && inbox.length > 0 && this.#takeShare(inbox.first)) {
      this.#hand(inbox.shift() ?? '');
    }
    this.#readOn();
    this.#tellEnd();
  }

  #waitForPace(): void {
    this.#waitsForPace = true;
    this.#stopReading();
    bodyPace.wait(this.#reading);
  }

  /** Until `#readOn`; what is dropped is read, or the answer of the other side would not be heard. */
  #stopReading(): void {
    if (!this.#isRead && !this.#ws.isPaused) this.#ws.pause();
  }

  #readOn(): void {
    const mayRead = !this.#isRead && !this.#paused && this.#share > 0;
    if (mayRead && !this.#isFull() && !this.#waitsForPace) this.#ws.resume();
  }

  /** Not before the messages in front of it, unless nobody listens to those. */
  #tellEnd(): void {
    const end = this.#end;
    if (!end || this.#closed || (this.#inbox.length > 0 && this.#messages.size > 0)) return;
    this.#closed = end;
    this.#tell(this.#closes, (listener) => listener(end.code, end.reason));
  }

  #watchDrain(): void {
    if (this.#ws.bufferedAmount > 0) this.#waitsForDrain = true;
  }

  readonly #onWritten = (): void => {
    if (!this.#waitsForDrain || this.#ws.bufferedAmount > 0) return;
    this.#waitsForDrain = false;
    if (this.#ws.readyState === open) this.#tell(this.#drains, (listener) => listener());
  };

  /** A listener that throws must not take the process down with it: `ws` would rethrow. It is told the end alone. */
  #tell<L>(listeners: Iterable<L>, call: (listener: L) => void): void {
    for (const listener of listeners) {
      try {
        call(listener);
      } catch (error) {
        this.#fail(error);
        this.#stopHearing();
        this.close(1011, 'internal error');
        this.dropRest();
      }
    }
  }
}

/** Of a close frame. */
interface End {
  readonly code: number;
  readonly reason: string;
}

function add<L>(listeners: Listeners<L>, listener: L): Cancel {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Shortens a reason to what fits, on a character boundary. */
function cut(reason: string): string {
  if (Buffer.byteLength(reason) <= maxReasonBytes) return reason;
  const bytes = Buffer.from(reason).subarray(0, maxReasonBytes);
  return new TextDecoder().decode(bytes, { stream: true });
}
