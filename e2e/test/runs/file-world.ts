import { appendFileSync, readFileSync } from 'node:fs';
import { World } from './world.ts';

/** What survives the death of a process: a line in a file for each effect, and for each thing that code was given. */
export class FileWorld extends World {
  readonly #file: string;

  /** @param name sets what its models say apart from those of others */
  constructor(file: string, name: number) {
    super();
    this.#file = file;
    this.modelCalls = name * 1_000_000;
  }

  override happened(what: string): void {
    this.#write({ what });
    super.happened(what);
  }

  override give(key: string, value: unknown): void {
    this.#write({ key, value });
    super.give(key, value);
  }

  #write(line: object): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** What processes wrote, as one world. */
export function readWorld(file: string): World {
  const world = new World();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { what, key, value } = JSON.parse(line) as { what?: string; key?: string; value?: unknown };
    if (what !== undefined) world.happened(what);
    else if (key !== undefined) world.give(key, value);
  }
  return world;
}
