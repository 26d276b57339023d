import type { ModelServer } from '../develop/development-options.ts';
import { startStandIn } from '../rehearse/start-stand-in.ts';
import { type ScriptedAnswer, toDirective } from './scripted-replies.ts';

/** A conversation as a model gets it, the same for every provider. */
export interface AskedModel {
  readonly model: string;
  readonly system: string;
  readonly turns: readonly { readonly role: 'user' | 'assistant' | 'tool'; readonly text?: string }[];
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** The model of a test: what it is to say, and what it was asked. */
export class TestModel {
  readonly #answers: readonly string[];
  readonly #asked: AskedModel[] = [];

  /** @throws {TypeError} an answer that cannot be said */
  constructor(answers: readonly ScriptedAnswer[]) {
    this.#answers = answers.map(toDirective);
  }

  /** The conversations it was asked to go on with, in order. */
  get asked(): readonly AskedModel[] {
    return this.#asked;
  }

  /** Answers that it was not asked for. */
  get left(): number {
    return Math.max(0, this.#answers.length - this.#asked.length);
  }

  /** Starts a server that speaks for it. */
  start(): Promise<ModelServer> {
    return startStandIn({ script: (conversation) => this.#answer(conversation) });
  }

  /** Says that it was asked more often than it has answers. @throws {Error} it was */
  verify(): void {
    const more = this.#asked.length - this.#answers.length;
    if (more > 0)
      throw new Error(
        `the scripted model has ${this.#answers.length} answers, and was asked ${this.#asked.length} times`,
      );
  }

  #answer(conversation: AskedModel): string {
    const n = this.#asked.push(conversation);
    return this.#answers[n - 1] ?? toDirective(new Error('nothing is left to say'));
  }
}
