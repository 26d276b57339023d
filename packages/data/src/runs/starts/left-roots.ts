import type { RunStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '../../database/sql-database.ts';
import { affects } from '../sql-answers.ts';
import { findLeft, findNewer, leaveRoot } from './order-of-starts.ts';

/** The part of a run store that says which roots are of a newer release. */
type LeftRoots = Pick<RunStore, 'leave' | 'isLeft' | 'isOfNewer'>;

/** Roots that older processes leave to newer ones. */
export function leftRoots(database: SqlDatabase): LeftRoots {
  return {
    async leave(fence) {
      // No holder outlasts the power, and whoever takes it then leaves it once more.
      return affects(await database.write([leaveRoot(fence)], undefined, 'normal'));
    },
    async isLeft(rootId, holder) {
      return affects(await database.read([findLeft(rootId, holder)]));
    },
    async isOfNewer(rootId, holder) {
      return affects(await database.read([findNewer(rootId, holder)]));
    },
  };
}
