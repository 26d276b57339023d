import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline';

/** What is typed, line by line; from a pipe, what it holds. */
export interface Lines {
  /** Whether somebody sits there who can be asked. */
  readonly interactive: boolean;
  /** The next line; undefined when there is none any more, or somebody pressed Ctrl-C. */
  next(prompt: string): Promise<string | undefined>;
  /** A line that is typed once the question stands there: what was typed before is no answer to it, and stays for `next`. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** Reads a terminal with what readline gives it (history, editing), or a pipe. */
export class TypedLines implements Lines {
  readonly interactive: boolean;
  readonly #interface: Interface;
  readonly #output: NodeJS.WriteStream;
  readonly #typed: string[] = [];
  #ended = false;
  /** Whether a Ctrl-C behind something typed takes back only that, as in a shell. */
  #dropsTyped = false;
  #waiting: ((line: string | undefined) => void) | undefined;

  /** @param onInterrupt told of Ctrl-C while no line is waited for */
  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, onInterrupt: () => void) {
    this.#output = output;
    this.interactive = input.isTTY === true && output.isTTY === true;
    this.#interface = createInterface({ input, ...(this.interactive && { output, historySize: 200 }) });
    this.#interface.on('line', (line) => this.#take(line));
    this.#interface.on('close', () => {
      this.#ended = true;
      this.#give(undefined);
    });
    this.#interface.on('SIGINT', () => {
      const isDropped = this.#drop();
      if (!this.#waiting) onInterrupt();
      else if (!this.#dropsTyped || !isDropped) this.#give(undefined);
    });
  }

  /** Ctrl-D, or the end of the pipe; what was typed before is still given. */
  get ended(): boolean {
    return this.#ended;
  }

  next(prompt: string): Promise<string | undefined> {
    const line = this.#typed.shift();
    return line === undefined ? this.#wait(prompt, true) : Promise.resolve(line);
  }

  ask(question: string): Promise<string | undefined> {
    // Half a line that began before the question would be taken for the start of an answer.
    this.#drop();
    return this.#wait(question, false);
  }

  #wait(prompt: string, dropsTyped: boolean): Promise<string | undefined> {
    this.#dropsTyped = dropsTyped;
    if (this.#ended) return Promise.resolve(undefined);
    if (this.interactive) {
      this.#interface.setPrompt(prompt);
      this.#interface.prompt();
    }
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Lets something be written while a line may be waited for: the prompt, and what was typed, come again below it. */
  aside(write: () => void): void {
    const isAsked = this.interactive && this.#waiting !== undefined;
    if (isAsked) {
      cursorTo(this.#output, 0);
      clearLine(this.#output, 0);
    }
    write();
    if (isAsked) this.#interface.prompt(true);
  }

  close(): void {
    this.#interface.close();
  }

  /** @returns whether there was something */
  #drop(): boolean {
    if (!this.interactive || this.#ended || this.#interface.line === '') return false;
    for (const name of ['e', 'u']) this.#interface.write(null, { ctrl: true, name });
    return true;
  }

  #take(line: string): void {
    if (this.#waiting) this.#give(line);
    else this.#typed.push(line);
  }

  #give(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    // What follows does not stand behind a prompt that nobody answered.
    if (waiting && line === undefined && this.interactive) this.#output.write('\n');
    waiting?.(line);
  }
}
