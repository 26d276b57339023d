import { type AgentSocket, connectAgents } from '@waymark/client-gen/runtime';
import { ToldTurns } from './told-turns.ts';
import type { Ending, ReaderOptions, Reading, Turn, TurnReader } from './turn-reader.ts';

/** Until it asks again for what was refused for now. */
const againMs = 100;

/** Opens a reader on the generated client, which connects again and takes up by itself. */
export function openClientReader(options: ReaderOptions): TurnReader {
  return new ClientReader(options);
}

class ClientReader implements TurnReader {
  readonly #turns: ToldTurns;
  readonly #socket: AgentSocket<Turn['message'], Ending['result']>;
  readonly #reading: Promise<void>;

  constructor(options: ReaderOptions) {
    const { url, agent, apiKey } = options;
    // It does not say when its connection broke, and what was written then comes as no delta.
    this.#turns = new ToldTurns(options, { missesText: true });
    const connect = connectAgents({ baseUrl: url, apiKey });
    this.#socket = connect<Turn['message'], Ending['result']>(`/agents/${agent}`, 0).socket();
    this.#reading = this.#readAll();
  }

  read(turn: Turn): Promise<Reading> {
    const { ended } = this.#turns.add(turn);
    this.#send(turn);
    return ended;
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.#reading;
  }

  #send({ message, key }: Turn): void {
    this.#socket.send({ ...message, idempotency_key: key });
  }

  async #readAll(): Promise<void> {
    for await (const message of this.#socket) {
      const refused = this.#turns.take(message);
      if (refused) setTimeout(() => this.#send(refused.turn), againMs);
    }
  }
}
