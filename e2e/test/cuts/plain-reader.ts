import { once } from 'node:events';
import WebSocket from 'ws';
import type { Told, ToldTurn } from './told-turn.ts';
import { ToldTurns } from './told-turns.ts';
import type { ReaderOptions, Reading, Turn, TurnReader } from './turn-reader.ts';

/** Until it connects again. */
const pauseMs = 25;
/** Until it asks again for what was refused for now. */
const againMs = 100;

/** Opens a reader on the plain `ws` package, written from the page on agents' sockets alone. */
export function openPlainReader(options: ReaderOptions): TurnReader {
  return new PlainReader(options, false);
}

/** Opens one that takes up nothing: it sends its turns again with their keys, and is told all of them again. */
export function openRepeatingReader(options: ReaderOptions): TurnReader {
  return new PlainReader(options, true);
}

class PlainReader implements TurnReader {
  readonly #options: ReaderOptions;
  readonly #turns: ToldTurns;
  readonly #repeats: boolean;
  #ws: WebSocket | undefined;
  #isReady = false;
  #isClosed = false;

  constructor(options: ReaderOptions, repeats: boolean) {
    this.#options = options;
    this.#repeats = repeats;
    this.#turns = new ToldTurns(options);
  }

  read(turn: Turn): Promise<Reading> {
    const { told, ended } = this.#turns.add(turn);
    if (!this.#ws) this.#connect();
    else if (this.#isReady) this.#ask(told);
    return ended;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ws = this.#ws;
    if (!ws || ws.readyState === WebSocket.CLOSED) return;
    ws.terminate();
    await once(ws, 'close');
  }

  #connect(): void {
    const { url, agent, apiKey } = this.#options;
    const address = new URL(`/agents/${agent}`, url.replace('http', 'ws'));
    const ws = new WebSocket(address, { headers: { 'x-api-key': apiKey }, handshakeTimeout: 5_000 });
    this.#ws = ws;
    ws.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString()) as Told));
    // `close` comes behind each.
    ws.on('error', () => {});
    ws.on('close', () => {
      this.#isReady = false;
      if (!this.#isClosed) setTimeout(() => this.#isClosed || this.#connect(), pauseMs);
    });
  }

  /** Sends a turn, or takes up its run behind the step that was seen last. */
  #ask(told: ToldTurn): void {
    const { turn, runId, lastSeq } = told;
    const isTurn = this.#repeats || runId === undefined;
    if (isTurn) told.forget();
    const message = isTurn
      ? { ...turn.message, idempotency_key: turn.key }
      : { run_id: runId, last_seq: lastSeq };
    this.#ws?.send(JSON.stringify(message));
    this.#options.onHeard(turn);
  }

  #take(message: Told): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      for (const told of this.#turns.open) this.#ask(told);
    }
    const refused = this.#turns.take(message);
    const ws = this.#ws;
    if (refused)
      setTimeout(() => {
        if (ws === this.#ws && this.#isReady) this.#ask(refused);
      }, againMs);
  }
}
