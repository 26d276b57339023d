/** The database's clock in epoch milliseconds: the clocks of processes differ, and all of them share this one. */
export const nowMs = `cast(unixepoch('subsec') * 1000 as integer)`;

/** Whether the leg still owns its root; of a `Fence`. */
export const owned = `exists (select 1 from svc__run where id = :root and epoch = :epoch and status = 'running')`;

/** Whether a root has not ended. */
export const live = `status in ('running', 'ready', 'waiting')`;

/**
 * Whether a column holds the id of a run or of one below it. The id of a child is `<parent>.<seq>`, so this is one key
 * and one range of keys: `/` is the character after the dot.
 */
export function isWithin(column: string, run = ':run'): string {
  return `(${column} = ${run} or ${column} > ${run} || '.' and ${column} < ${run} || '/')`;
}

/** Whether a column holds the id of a run below another. */
export function isBelow(column: string, run = ':run'): string {
  return `${column} > ${run} || '.' and ${column} < ${run} || '/'`;
}

/** The movers of a root, whoever moves it now among them, each once. */
export const withMover = `(select json_group_array(mover) from
  (select value as mover from json_each(svc__run.movers) union select :by))`;

/** The root of a run: its own id up to the first dot. As the index of the numbers has it. */
export function rootOf(column: string): string {
  return `substr(${column}, 1, instr(${column} || '.', '.') - 1)`;
}
