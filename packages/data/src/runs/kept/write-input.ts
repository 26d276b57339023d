import type { Json } from '@waymark/contract';
import type { Fence } from '@waymark/contract/stores';
import type { Statement } from '../../database/sql-transaction.ts';
import { encodeValue, insertBlobs } from '../stored-value.ts';

/** The statements that write the input of a transient root whose leg still owns it, as far as it parks: if no decision came. */
export function writeInputOfParked({ rootId, epoch, wakes }: Fence, values: Json): readonly Statement[] {
  return writeInput(values, parks, { root: rootId, epoch, wakes });
}

/** The same of one that is given back. */
export function writeInputOfReleased({ rootId, epoch }: Fence, values: Json): readonly Statement[] {
  return writeInput(values, isOwned, { root: rootId, epoch });
}

const isOwned = `id = :root and epoch = :epoch and status = 'running'`;
const parks = `${isOwned} and wakes = :wakes`;

function writeInput(
  values: Json,
  condition: string,
  args: Readonly<Record<string, string | number>> & { readonly root: string },
): readonly Statement[] {
  const input = encodeValue(values);
  return [
    { sql: `update svc__run set input = :input where ${condition}`, args: { ...args, input: input.text } },
    ...insertBlobs([input], `exists (select 1 from svc__run where ${condition})`, {
      ...args,
      holder: args.root,
    }),
  ];
}
