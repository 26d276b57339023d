import type { Turn } from './turn-reader.ts';

/** How a model fails for a while: that a client tries again, and that its run has to wait for. */
const troubles = [
  '[[error 503 times=1]]',
  '[[cut after=2 times=1]]',
  '[[error 503 times=4 retry-after-ms=10]]',
];

/** The turns of one client, on one socket. */
export interface Talk {
  readonly agent: string;
  readonly turns: readonly Turn[];
  /** Each is sent when the one before it was answered; else all at once. */
  readonly isPatient: boolean;
}

/** A call of a tool as a model makes it. */
function call(tool: string, job: string, n: number): string {
  return `${tool} ${JSON.stringify({ job, n })}`;
}

/** What a model does, turn for turn, for one job. */
class Script {
  readonly #job: string;
  readonly #random: () => number;
  #n = 0;

  constructor(job: string, random: () => number) {
    this.#job = job;
    this.#random = random;
  }

  pick<T>(from: readonly T[]): T {
    // Never empty.
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  #calls(tools: readonly string[]): string {
    return `[[calls ${tools.map((tool) => call(tool, this.#job, ++this.#n)).join(', ')}]]`;
  }

  /** A turn or some in which tools are called. */
  #acting(tools: readonly string[]): readonly string[] {
    const steps = 1 + Math.floor(this.#random() * 3);
    return Array.from({ length: steps }, () => this.#calls(this.#some(tools)));
  }

  #some(tools: readonly string[]): readonly string[] {
    return Array.from({ length: this.pick([1, 1, 2, 3]) }, () => this.pick(tools));
  }

  /** Of an agent: what it does itself, whom it asks, and how it ends. */
  of(agent: string, isRoot: boolean): string {
    const [tools, below] = staff[agent] ?? staff.clerk;
    const asks = below.flatMap((each) =>
      this.#random() < 0.6 ? [`[[call ${each} ${JSON.stringify({ input: this.of(each, false) })}]]`] : [],
    );
    const did = [...this.#acting(tools), ...asks, ...(this.#random() < 0.5 ? this.#acting(tools) : [])];
    const fails = isRoot && this.#random() < 0.12;
    const end = fails
      ? '[[error 400 message="not like that"]]'
      : `[[say ${this.#job} is done, and here is what ${agent} has to say of it, word by word.]]`;
    const spoiled = did.map((each) => (this.#random() < 0.08 ? `${this.pick(troubles)} ${each}` : each));
    return [this.#job, ...this.#pace(), ...spoiled, end].join(' ');
  }

  #pace(): readonly string[] {
    return [
      `[[latency ${Math.floor(this.#random() * 30)}]]`,
      ...(this.#random() < 0.4 ? ['[[pace 3]]'] : []),
    ];
  }
}

/** Each agent's own tools, and the agents that it asks. */
const staff: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> & {
  readonly clerk: readonly [readonly string[], readonly string[]];
} = {
  clerk: [['look', 'keyed', 'once', 'keyed', 'once', 'refund', 'sign'], []],
  boss: [['look', 'keyed', 'once'], ['clerk']],
  chief: [['keyed'], ['boss', 'clerk']],
};

/** Draws what clients say until there are so many turns. @param name that no other series has */
export function drawTalks(count: number, name: string, random: () => number): readonly Talk[] {
  const talks: Talk[] = [];
  for (let made = 0; made < count; ) {
    const length = Math.min(count - made, 1 + Math.floor(random() * 4));
    const pick = new Script('', random);
    const agent = pick.pick(['clerk', 'clerk', 'boss', 'chief']);
    const session = random() < 0.3 ? { session_id: `${name}-talk-${talks.length}` } : {};
    const turns = Array.from({ length }, (): Turn => {
      const key = `${name}-${++made}`;
      const input = new Script(key, random).of(agent, true);
      return { agent, key, message: { input, ...session, ...(random() < 0.5 && { stream: true }) } };
    });
    talks.push({ agent, turns, isPatient: random() < 0.5 });
  }
  return talks;
}
