import { readStamp } from '../frame.ts';
import type { GroupResult } from '../jobs.ts';

/** What readers of one kind got, as long as it is measured. */
export class Group {
  readonly #load: number;
  #measuring = false;
  #deliveries = 0;
  #skipped = 0;
  #agesMs: number[] = [];

  /** @param load whose frames count */
  constructor(load: number) {
    this.#load = load;
  }

  /** Counts a frame, and gives which it was; 0 for one of another load. */
  took(head: Buffer): number {
    const { load, id, sentMs } = readStamp(head);
    if (load !== this.#load) return 0;
    if (this.#measuring) {
      this.#deliveries++;
      this.#agesMs.push(performance.now() - sentMs);
    }
    return id;
  }

  /** Counts what a reader was told it missed. */
  heard(text: Buffer): void {
    if (!this.#measuring || !text.includes('"lagged"')) return;
    const { skipped = 0 } = JSON.parse(text.toString()) as { skipped?: number };
    this.#skipped += skipped;
  }

  begin(): void {
    this.#measuring = true;
  }

  end(): GroupResult {
    this.#measuring = false;
    const ages = Float64Array.from(this.#agesMs).toSorted();
    const at = (share: number): number => ages[Math.ceil(share * ages.length) - 1] ?? Number.NaN;
    return {
      deliveries: this.#deliveries,
      skipped: this.#skipped,
      p50Ms: at(0.5),
      p90Ms: at(0.9),
      p99Ms: at(0.99),
      maxMs: at(1),
    };
  }
}
