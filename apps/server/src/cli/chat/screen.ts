import { styleText } from 'node:util';
import { withoutCommands } from '../output/without-commands.ts';

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
    const shown = withoutCommands(text);
    if (shown === '') return;
    this.#output.write(shown);
    this.#atLineStart = shown.endsWith('\n');
  }

  /** A line about what happens. */
  note(text: string): void {
    this.endLine();
    const shown = withoutCommands(text).replaceAll('\n', ' ');
    this.#output.write(`${this.#styled ? styleText('dim', shown, { validateStream: false }) : shown}\n`);
  }

  endLine(): void {
    if (!this.#atLineStart) this.#output.write('\n');
    this.#atLineStart = true;
  }
}
