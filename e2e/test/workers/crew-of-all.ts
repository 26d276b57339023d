import { afterAll, beforeAll } from 'vitest';
import { type Crew, startCrew } from './crew.ts';

/** Several processes that a few tests ask one after another. */
export function crewOfAll(env: Readonly<Record<string, string>>): () => Crew {
  const ends: (() => void | Promise<void>)[] = [];
  let crew: Crew;
  beforeAll(async () => {
    crew = await startCrew(env, (end) => void ends.unshift(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => crew;
}
