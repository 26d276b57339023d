import type { Resumption } from '@waymark/contract/runs';
import type { Fence } from '@waymark/contract/stores';
import { isOpen } from '../journal/run-status.ts';
import type { RunTree } from '../journal/run-tree.ts';

/** A stored root on its way through the dispatcher to its driver. */
export class StoredRoot implements Resumption {
  readonly tree: RunTree;
  /** Absent: it is only asked for its answer. */
  readonly fence: Fence | undefined;
  /** Told when something of it was stored. */
  readonly onStep: (() => void) | undefined;
  /** As it was sent. */
  readonly ended: boolean;
  /** Whether it has arrived. */
  taken = false;

  constructor(tree: RunTree, fence?: Fence, onStep?: () => void) {
    this.tree = tree;
    this.fence = fence;
    this.ended = !isOpen(tree.root);
    this.onStep = onStep;
  }

  get rootId(): string {
    return this.tree.rootId;
  }
}
