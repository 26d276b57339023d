import { styleText } from 'node:util';

/** Everything that a terminal would take for a command: a model may say whatever somebody made it say. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const commands = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Where a conversation is written. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** A terminal, or a file: text as it comes, and lines of its own in between. */
export class Screen {
  readonly #output: Output;
  readonly #styled: boolean;
  #atLineStart = true;

  /** @param styled whether lines about what happens are told from what is said; by default where the output is a terminal */
  constructor(output: Output, styled = output.isTTY === true && !process.env['NO_COLOR']) {
    this.#output = output;
    this.#styled = styled;
  }

  /** A piece of what is said. */
  say(text: string): void {
    const shown = text.replace(commands, '');
    if (shown === '') return;
    this.#output.write(shown);
    this.#atLineStart = shown.endsWith('\n');
  }

  /** A line about what happens. */
  note(text: string): void {
    this.endLine();
    const shown = text.replace(commands, '').replaceAll('\n', ' ');
    this.#output.write(`${this.#styled ? styleText('dim', shown, { validateStream: false }) : shown}\n`);
  }

  endLine(): void {
    if (!this.#atLineStart) this.#output.write('\n');
    this.#atLineStart = true;
  }
}
