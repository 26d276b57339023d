import type { Json } from '@waymark/contract';
import { HostError } from '@waymark/contract/engine';
import type { RunScope } from '@waymark/contract/runs';
import { never } from '../journal/never.ts';
import { persist } from '../journal/persist.ts';
import type { LegPort } from './leg-port.ts';
import type { OpFrame } from './op.ts';

/** A frame whose run has a session. */
type Reading = OpFrame & Pick<RunScope, 'op'>;

/** The messages of a run's session. Its first reading says which, so that they cannot change under a run that waits. */
export async function readHistory(leg: LegPort, frame: Reading): Promise<readonly Json[]> {
  const { session } = frame.run.spec;
  if (!session) return [];
  const spec = { kind: 'history', name: session.key, input: null, repeat: 'safe' } as const;
  const range = await frame.op(spec, async () => {
    const found = await load(leg, frame, session.key);
    return { value: found ? { fromN: found.fromN, uptoN: found.uptoN } : null };
  });
  if (!range) return [];
  const found = await load(leg, frame, session.key, range);
  return frame.over ? never() : (found?.messages ?? []);
}

/** A store out of reach says nothing of the run. */
async function load(
  leg: LegPort,
  frame: Reading,
  key: string,
  range?: { readonly fromN: number; readonly uptoN: number },
) {
  const { parts } = leg;
  const read = async () => ({ session: await parts.sessions.load(key, range) });
  const found = await persist(parts, frame.run.rootId, read, { over: () => frame.over });
  return found ? found.session : leg.disturb(new HostError('the session of the run cannot be read'));
}
