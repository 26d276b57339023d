import type { AgentMessage, AgentSocket, RunWaiting } from '@waymark/client-gen/runtime';
import type { Lines } from './lines.ts';
import type { Screen } from './screen.ts';
import { short, toStepLine, wholeLines } from './step-line.ts';

/** What a turn of an agent holds here. */
export interface ChatTurn {
  readonly input: string;
  readonly session_id: string;
  readonly stream: true;
  readonly reset?: true;
}

/** What of a result is shown. */
export interface ChatResult {
  readonly run_id: string;
  readonly status: string;
  readonly output: string;
  readonly usage: {
    readonly steps: number;
    readonly tool_calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cost_usd: number | null;
  };
}

/** What a conversation is held with. */
export interface ChatParts {
  readonly socket: AgentSocket<ChatTurn, ChatResult>;
  readonly screen: Screen;
  readonly lines: Lines;
  readonly sessionId: string;
  /** Whom one talks to, and where. */
  readonly title: string;
  /** Sends what a human decided. @throws {Error} when the key may not, or somebody was faster */
  decide(approvalId: string, approve: boolean, note: string): Promise<void>;
  /** Receives each message instead of the screen, for programs. */
  readonly observe?: ((message: AgentMessage<ChatResult>) => void) | undefined;
}

const help =
  'Ctrl-C cancels a turn, or drops what is typed, Ctrl-D ends; /new forgets what was said, a \\ at the end goes on in the next line';

/** A conversation with an agent in a terminal. */
export class Chat {
  readonly #parts: ChatParts;
  readonly #messages: AsyncIterator<AgentMessage<ChatResult>, undefined>;
  /** Approvals that were asked about: a run that waits for several says so again. */
  readonly #asked = new Set<string>();
  #runId: string | undefined;
  #inTurn = false;
  #reset = false;
  /** What the agent said last, as far as it was shown. */
  #said = '';
  #failed = false;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#messages = parts.socket[Symbol.asyncIterator]();
  }

  /** Takes turns until there are no more lines. @returns whether the last turn came to a result */
  async run(): Promise<boolean> {
    const { lines, screen, title } = this.#parts;
    if (lines.interactive) for (const line of [title, help]) screen.note(line);
    for (let input = await this.#read(); input !== undefined; input = await this.#read()) {
      if (input === '/help') screen.note(help);
      else if (input === '/new') this.#reset = true;
      else if (/^\/[a-z]+$/.test(input)) screen.note(`there is no ${input}; ${help}`);
      else if (input.trim() !== '') await this.#turn(input);
    }
    return !this.#failed;
  }

  /** Ctrl-C: ends the turn under way. @returns false when there is none */
  interrupt(): boolean {
    if (!this.#inTurn) return false;
    this.#parts.screen.note('cancelling…');
    return this.#parts.socket.cancel(this.#runId);
  }

  async #read(): Promise<string | undefined> {
    const { lines } = this.#parts;
    let text = '';
    for (;;) {
      const line = await lines.next(text === '' ? '> ' : '… ');
      if (line === undefined || line === '/exit') return undefined;
      if (!line.endsWith('\\')) return text + line;
      text += `${line.slice(0, -1)}\n`;
    }
  }

  async #turn(input: string): Promise<void> {
    const { socket, sessionId } = this.#parts;
    this.#runId = undefined;
    this.#said = '';
    this.#inTurn = true;
    const turn: ChatTurn = {
      input,
      session_id: sessionId,
      stream: true,
      ...(this.#reset && { reset: true }),
    };
    this.#reset = false;
    const key = socket.send(turn);
    for (;;) {
      const { value: message, done } = await this.#messages.next();
      if (done) break;
      this.#parts.observe?.(message);
      if (this.#isOver(message, key)) break;
      await this.#show(message, key);
    }
    this.#inTurn = false;
    this.#parts.screen.endLine();
  }

  /** What is told of earlier turns comes in between. */
  #isOver(message: AgentMessage<ChatResult>, key: string): boolean {
    const { type } = message;
    if (type === 'waiting' && message.run_id === this.#runId && this.#isLeft(message)) return true;
    if (type === 'result' && message.result.run_id === this.#runId) {
      this.#result(message.result, message.problem?.detail);
      return true;
    }
    if (type !== 'error' || (message.idempotency_key !== key && message.run_id !== this.#runId)) return false;
    this.#failed = true;
    this.#note(message.message);
    return true;
  }

  /** In a pipe nobody can be asked: the run goes on when somebody decided elsewhere. */
  #isLeft({ run_id: runId, pending_approvals: pending = [] }: RunWaiting): boolean {
    if (this.#parts.lines.interactive || pending.length === 0) return false;
    this.#failed = true;
    for (const { tool, arguments: given, approval_id: id } of pending)
      this.#note(`  ${tool} ${short(given)} waits for a human to decide on ${id}; run ${runId} goes on then`);
    return true;
  }

  async #show(message: AgentMessage<ChatResult>, key: string): Promise<void> {
    const { type } = message;
    if (type === 'run' && message.idempotency_key === key) this.#runId = message.run_id;
    const rootId = this.#runId;
    if (rootId === undefined || this.#parts.observe) return;
    if (type === 'delta' && message.run_id === rootId)
      this.#say(message.text ?? '', message.restart === true);
    if (type === 'step' && message.run_id.split('.')[0] === rootId) {
      const line = toStepLine(message.step, rootId);
      if (line !== undefined) this.#note(line);
      if (message.step.kind !== 'model') this.#said = '';
    }
    if (type === 'waiting' && message.run_id === rootId) await this.#ask(message);
  }

  #say(text: string, restart: boolean): void {
    if (restart && this.#said !== '') {
      this.#note('once more:');
      this.#said = '';
    }
    this.#said += text;
    this.#parts.screen.say(text);
  }

  #note(text: string): void {
    if (!this.#parts.observe) this.#parts.screen.note(text);
  }

  async #ask({ pending_approvals: pending = [], waits = [] }: RunWaiting): Promise<void> {
    for (const wait of waits)
      this.#note(`the provider ${String(wait['provider'])} is out of reach: ${String(wait['message'])}`);
    for (const { approval_id: id, tool, arguments: given, reason } of pending) {
      if (this.#asked.has(id)) continue;
      this.#asked.add(id);
      this.#note(
        `  ${tool} ${short(given)} waits for a human${reason === undefined ? '' : `: ${String(reason)}`}`,
      );
      if (!this.#parts.lines.interactive) continue;
      const whole = wholeLines(given);
      for (const line of whole ?? []) this.#note(`  ${line}`);
      if (whole) await this.#decide(id);
      else
        this.#note(
          `  its arguments are too long to be shown here; decide on ${id} where they are seen whole`,
        );
    }
  }

  async #decide(id: string): Promise<void> {
    const { lines, screen, decide } = this.#parts;
    const answer = await this.#askToDecide();
    if (answer === undefined) {
      this.interrupt();
      return;
    }
    if (/^l/i.test(answer)) {
      screen.note('  somebody may decide elsewhere; Ctrl-C cancels');
      return;
    }
    const note = await lines.ask('  a note, if any: ');
    // Who breaks off here takes the answer back.
    if (note === undefined) {
      this.interrupt();
      return;
    }
    // Not waited for: the answer comes when the run has come to its end.
    void decide(id, /^y/i.test(answer), note).catch((error: Error) => {
      screen.note(`  ${error.message}`);
      // Nobody decided: it is asked about again when the run says again what it waits for.
      this.#asked.delete(id);
    });
  }

  /** A slip of the keyboard decides nothing, and does not leave it to others. */
  async #askToDecide(): Promise<string | undefined> {
    for (;;) {
      const answer = (await this.#parts.lines.ask('  approve it? yes, no, or later: '))?.trim();
      if (answer === undefined || /^(y|yes|n|no|l|later)$/i.test(answer)) return answer;
    }
  }

  #result({ status, output, usage }: ChatResult, why: string | undefined): void {
    this.#failed = status !== 'completed';
    if (this.#parts.observe) return;
    const { screen } = this.#parts;
    if (output.trim() !== this.#said.trim()) {
      screen.endLine();
      screen.say(output);
    }
    if (status !== 'completed') screen.note(`${status}${why === undefined ? '' : `: ${why}`}`);
    if (this.#parts.lines.interactive && usage.steps > 0) screen.note(toUsageLine(usage));
  }
}

function toUsageLine({
  steps,
  tool_calls: calls,
  input_tokens: given,
  output_tokens: said,
  cost_usd: cost,
}: ChatResult['usage']): string {
  const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
  const money = cost === null ? '' : `, $${cost.toFixed(4)}`;
  return `${count(steps, 'model call')}, ${count(calls, 'tool call')}, ${count(given + said, 'token')}${money}`;
}
