import type { Ground } from '../ground.ts';

/** One way to misbehave: prepares what is to be sent, and gives what then lasts until the ground says that it is over. */
export type Shape = (ground: Ground) => () => Promise<void>;
