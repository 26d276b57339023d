/** One whole run: the model asks for the tool, is told what it gave, and answers. Gives what it said last. */
export type Run = (input: string) => Promise<string>;

/**
 * Makes the runs of one contestant.
 *
 * @param modelsUrl origin of the model server
 * @param folder where a journal may be kept
 */
export type MakeRun = (modelsUrl: string, folder: string) => Run | Promise<Run>;

/** The key that the model server is sent. It takes any. */
export const modelKey = 'the-key-of-the-benchmark';

export const model = 'gpt-4.1-mini';

export const system =
  'You answer for the support desk of a lamp shop, briefly and kindly. Look tickets up before you speak of them.';

/** The script that the model follows. */
export const input = 'What is wrong with ticket 4? [[call get_ticket {"id":4}]] [[say The printer burns.]]';

/** What comes of it. */
export const output = 'The printer burns.';

/** The one tool. */
export const tool = {
  name: 'get_ticket',
  description: 'Reads one ticket of the desk.',
  idDescription: 'The number of the ticket.',
};

/** What the tool gives: made anew for each call, as a tool would. */
export function readTicket(id: number): Ticket {
  return { id, title: 'Printer', status: 'open', notes: 'It burns. '.repeat(20) };
}

/** A row of the desk. */
export interface Ticket {
  readonly id: number;
  readonly title: string;
  readonly status: string;
  readonly notes: string;
}

/** Tokens of an answer: few enough that it comes whole, as everybody else asks for it, and not as a stream of events. */
export const wholeTokens = 8_000;
