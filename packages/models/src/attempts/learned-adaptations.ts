import type { Adaptation } from '../wire/adaptations.ts';

/** Models of which something is remembered; the one longest ago is forgotten first. */
const maxModels = 256;

/** Remembers what models were found not to take, so that they are not asked it again. */
export class LearnedAdaptations {
  readonly #byModel = new Map<string, ReadonlySet<Adaptation>>();

  of(model: string): ReadonlySet<Adaptation> {
    return this.#byModel.get(model) ?? nothing;
  }

  add(model: string, adaptation: Adaptation): void {
    this.#byModel.set(model, new Set([...this.of(model), adaptation]));
    const [oldest] = this.#byModel.keys();
    if (this.#byModel.size > maxModels && oldest !== undefined) this.#byModel.delete(oldest);
  }
}

const nothing: ReadonlySet<Adaptation> = new Set();
