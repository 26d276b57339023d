import type { Json } from '@waymark/contract';
import type { Frame } from './frame.ts';
import { never } from './never.ts';

/** The messages of a run's session. Its first reading says which, so that they cannot change under a run that waits. */
export async function readHistory(frame: Frame): Promise<readonly Json[]> {
  const { session } = frame.run.spec;
  if (!session) return [];
  const { sessions } = frame.leg.parts;
  const spec = { kind: 'history', name: session.key, input: null, repeat: 'safe' } as const;
  const range = await frame.op(spec, async () => {
    const found = await sessions.load(session.key);
    return { value: found ? { fromN: found.fromN, uptoN: found.uptoN } : null };
  });
  if (!range) return [];
  const found = await sessions.load(session.key, range);
  return frame.over ? never() : (found?.messages ?? []);
}
