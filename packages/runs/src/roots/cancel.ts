import { HTTPError } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import type { EngineParts } from '../engine-parts.ts';
import { RunTree } from '../journal/run-tree.ts';
import { noticesOfEnd } from '../notices.ts';
import type { Roots } from './roots.ts';

/** Ends a root in its store, and all below it, with the deliveries that belong to that. */
export async function cancelRoot(
  parts: EngineParts,
  rootId: string,
): ReturnType<EngineParts['store']['cancel']> {
  const { store, notices } = parts;
  if (!notices?.runFinished) return store.cancel(rootId);
  const tree = RunTree.from(rootId, await store.load(rootId));
  const cancelled = { runId: rootId, status: 'cancelled', output: null, error: null } as const;
  return store.cancel(rootId, tree && noticesOfEnd(parts, tree, cancelled));
}

/** Ends a root and everything below it. @throws {HTTPError} 404 unknown · 409 a child, or ended already */
export async function cancel(
  parts: EngineParts & { readonly roots: Roots },
  rootId: string,
  by: Principal,
): Promise<void> {
  const { store, roots, emit } = parts;
  const outcome = await cancelRoot(parts, rootId);
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
