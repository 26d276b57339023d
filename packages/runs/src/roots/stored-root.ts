import type { Resumption } from '@waymark/contract/runs';
import type { Fence } from '@waymark/contract/stores';
import type { RunTree } from '../journal/run-tree.ts';

/** A stored root on its way through the dispatcher to its driver. */
export class StoredRoot implements Resumption {
  readonly tree: RunTree;
  /** Absent: it is only asked for its answer. */
  readonly fence: Fence | undefined;
  /** Told when something of it was stored. */
  readonly onStep: (() => void) | undefined;
  /** Whether it has arrived. */
  taken = false;

  constructor(tree: RunTree, fence?: Fence, onStep?: () => void) {
    this.tree = tree;
    this.fence = fence;
    this.onStep = onStep;
  }

  get rootId(): string {
    return this.tree.rootId;
  }
}
