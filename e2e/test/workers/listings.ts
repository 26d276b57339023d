import { expect } from 'vitest';
import type { Crew } from './crew.ts';

const listings = [
  'routes',
  'tools',
  'health',
  'overview',
  'audit?limit=200',
  'runs',
  'approvals',
  'usage',
  'spend',
  'models',
  'devices',
  'agents',
];

/** What counts time or is told by chance says nothing of who answers. */
function steady(text: string): string {
  return text.replace(
    /"(uptime_ms|event_loop_p99_ms|at_ms|p\d+_ms|last_seen_ms|fps|age_ms)":[\d.]+/g,
    '"$1":0',
  );
}

/** Asks every listing so often, any process each time. @returns listings that did not say the same each time, with what they said */
export async function differing(crew: Crew, each: number): Promise<readonly (readonly string[])[]> {
  const said = new Map(listings.map((name) => [name, new Set<string>()]));
  for (let i = 0; i < each; i++)
    for (const [name, texts] of said) {
      const { status, text } = await crew.desk(`/_svc/${name}`);
      expect([name, status]).toEqual([name, 200]);
      texts.add(steady(text));
    }
  return [...said].filter(([, texts]) => texts.size !== 1).map(([name, texts]) => [name, ...texts]);
}
