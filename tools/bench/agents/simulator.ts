// The model server that all contestants ask.
import { startSimulator } from '@waymark/model-simulator';
import { serveParent } from './child.ts';
import { readTicket } from './question.ts';

/** What the model server was asked since it was last looked at. */
export interface Seen {
  readonly url: string;
  readonly requests: number;
  /** How many of them had the result of the tool in them. */
  readonly results: number;
}

const simulator = await startSimulator({ maxRequests: 10 });
const { url } = simulator;
const { notes } = readTicket(4);
serveParent<Seen>({ url, requests: 0, results: 0 }, () => {
  const bodies = simulator.requests.map(({ body }) => JSON.stringify(body));
  simulator.reset();
  return { url, requests: bodies.length, results: bodies.filter((body) => body.includes(notes)).length };
});
