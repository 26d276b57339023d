/** The same ten calls of one tool in each form that a contestant knows. */
export interface Work {
  /** One after another: each is given what the one before it gave. */
  readonly pipeline: (n: number) => Promise<number>;
  /** All at once, with the same number. */
  readonly parallel: (n: number) => Promise<readonly number[]>;
  /** One after another in code that a run calls. */
  readonly behaviour?: (n: number) => Promise<number>;
}

/** A form of it. */
export type Form = keyof Work;

/** Makes the work of one contestant. @param folder where a journal may be kept */
export type MakeWork = (folder: string) => Work | Promise<Work>;

/** Calls of the tool in each form. */
export const steps = 10;

/** The tool. */
export async function addOne({ n }: Counted): Promise<Counted> {
  return { n: n + 1 };
}

/** What it takes and gives. */
export interface Counted {
  readonly n: number;
}

/** Makes sure that a contestant does what it shall. @throws {Error} */
export async function checkWork(work: Work): Promise<void> {
  const given = [await work.pipeline(1), await work.parallel(1), (await work.behaviour?.(1)) ?? 1 + steps];
  const wanted = [1 + steps, Array.from({ length: steps }, () => 2), 1 + steps];
  if (JSON.stringify(given) !== JSON.stringify(wanted)) throw new Error(`it gave ${JSON.stringify(given)}`);
}
