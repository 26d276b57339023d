import { HTTPError } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import type { EngineParts } from '../engine-parts.ts';
import type { Roots } from './roots.ts';

/** Ends a root and everything below it. @throws {HTTPError} 404 unknown · 409 a child, or ended already */
export async function cancel(
  { store, roots, emit }: EngineParts & { readonly roots: Roots },
  rootId: string,
  by: Principal,
): Promise<void> {
  const outcome = await store.cancel(rootId);
  if (outcome === 'terminal') throw new HTTPError(409, `run ${rootId} has ended`);
  if (outcome === 'unknown') {
    const above = rootId.split('.', 1)[0] ?? rootId;
    if (above !== rootId && (await store.page(above, 0, 0)))
      throw new HTTPError(409, `run ${rootId} is part of run ${above}: cancel that`);
    throw new HTTPError(404, `no run ${rootId}`);
  }
  roots.cancel(rootId);
  roots.feed.turn(rootId);
  emit({ kind: 'run_finished', run_id: rootId, status: 'cancelled', by: by.id });
}
