import type { RouteTable } from '@waymark/contract';
import { NameSet } from './names.ts';
import type { Operation, Operations } from './operations.ts';

/** The members of a client that hold what starts runs, in the order in which they stand. */
export const runnableGroups = ['agents', 'behaviours', 'flows'] as const;

/** Something that starts runs, as the client's `agents`, `behaviours` and `flows` see it. */
export interface Runnable {
  readonly group: (typeof runnableGroups)[number];
  /** Its declared name. */
  readonly name: string;
  /** How it is started; its types are those of this method. */
  readonly operation: Operation;
}

/** Whether it can be talked to over a socket, too. */
export function isAgent({ group }: Runnable): boolean {
  return group === 'agents';
}

const groups = { agent: 'agents', behaviour: 'behaviours', flow: 'flows' } as const;

/** Finds what starts runs and says later what came of them, with `GET …/runs/{run_id}` below it. */
export function toRunnables(table: RouteTable, { data }: Operations): readonly Runnable[] {
  const answers = new Set(
    [...table].filter(({ method }) => method === 'GET').map((route) => table.pathOf(route)),
  );
  const names = new Map(runnableGroups.map((group) => [group, NameSet.forMembers()]));
  return data.flatMap((operation): readonly Runnable[] => {
    const { name, facts } = operation.route;
    const group = facts.startsRun && groups[facts.startsRun];
    if (!group || !answers.has(`${operation.path}/runs/{run_id}`)) return [];
    return [{ group, name: names.get(group)?.takeStable(name, operation.path) ?? name, operation }];
  });
}
