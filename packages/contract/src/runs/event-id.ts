/** A place in what is told of a run. */
export interface RunPlace {
  readonly runId: string;
  /** Of the last step before it; 0 before the first. */
  readonly seq: number;
  /** Behind the answer, too. */
  readonly ended: boolean;
}

/**
 * Writes a place as the id of an event: `<run>/<seq>` of a step, `<run>/<seq>/end` of the answer. Whoever says it again as
 * `Last-Event-ID` is told what follows, wherever that run is read.
 */
export function toEventId({ runId, seq, ended }: RunPlace): string {
  return `${runId}/${seq}${ended ? '/end' : ''}`;
}

/**
 * Reads a `Last-Event-ID`; a number alone is the `seq` of a step.
 *
 * @param runId of the run that is read
 * @returns undefined for an id of another run, or of something else
 */
export function toRunPlace(id: string, runId: string): RunPlace | undefined {
  const ofRun = id.startsWith(`${runId}/`) ? id.slice(runId.length + 1) : undefined;
  const [, seq, end] = /^(\d{1,15})(\/end)?$/.exec(ofRun ?? id) ?? [];
  if (seq === undefined || (ofRun === undefined && end !== undefined)) return undefined;
  return { runId, seq: Number(seq), ended: end !== undefined };
}
