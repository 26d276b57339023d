import { styleText } from 'node:util';
import { toScreenText } from '../output/to-screen-text.ts';

/** Where a conversation is written. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What may go on with the next piece: half a character, a picture that others join, the first half of an end of line. */
const unfinished =
  /(?:\r|\p{Extended_Pictographic}(?:\p{Extended_Pictographic}|[\u{1f3fb}-\u{1f3ff}]|\ufe0f|\u200d)*[\ud800-\udbff]?|[\ud800-\udbff])$/u;

/** No picture is longer. */
const longestPicture = 32;

/** A terminal, or a file: text as it comes, and lines of its own in between. */
export class Screen {
  readonly #output: Output;
  readonly #styled: boolean;
  #atLineStart = true;
  /** The end of what was said, while it may go on. */
  #held = '';

  /** @param styled whether lines about what happens are told from what is said; by default where the output is a terminal */
  constructor(output: Output, styled = output.isTTY === true && !process.env['NO_COLOR']) {
    this.#output = output;
    this.#styled = styled;
  }

  /** A piece of what is said. */
  say(text: string): void {
    const whole = this.#held + text;
    this.#held = unfinished.exec(whole.slice(-longestPicture))?.[0] ?? '';
    this.#write(whole.slice(0, whole.length - this.#held.length));
  }

  /** A line about what happens. */
  note(text: string): void {
    this.endLine();
    const shown = toScreenText(text).replaceAll('\n', ' ');
    this.#output.write(`${this.#styled ? styleText('dim', shown, { validateStream: false }) : shown}\n`);
  }

  endLine(): void {
    this.#write(this.#held);
    this.#held = '';
    if (!this.#atLineStart) this.#output.write('\n');
    this.#atLineStart = true;
  }

  #write(text: string): void {
    if (text === '') return;
    const shown = toScreenText(text);
    this.#output.write(shown);
    this.#atLineStart = shown.endsWith('\n');
  }
}
