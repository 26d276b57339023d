import { join } from 'node:path';
import { peerFile } from '../lib/peers.ts';

/** One server that is compared. */
export interface ServerProgram {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** A program beside this file. */
export function contestantFile(name: string): string {
  return join(import.meta.dirname, 'contestants', name);
}

/** Everybody. `bare` answers only; `full` has the request id, the log line and the headers of the product, too. `raw promises`
 * keeps all that the product promises of a request. */
export function contestants(): readonly ServerProgram[] {
  return [
    { name: 'raw bare', program: contestantFile('raw.ts'), args: ['bare'] },
    { name: 'raw full', program: contestantFile('raw.ts'), args: ['full'] },
    { name: 'raw promises', program: contestantFile('raw-promises.ts'), args: [] },
    { name: 'express', program: contestantFile('express.ts'), args: [] },
    { name: 'hono', program: peerFile('hono.mjs'), args: [] },
    { name: 'fastify bare', program: peerFile('fastify.mjs'), args: ['bare'] },
    { name: 'fastify full', program: peerFile('fastify.mjs'), args: ['full'] },
    { name: 'waymark bare', program: contestantFile('waymark-bare.ts'), args: [] },
    { name: 'waymark full', program: contestantFile('waymark.ts'), args: [] },
    { name: 'waymark listener', program: contestantFile('waymark-listener.ts'), args: [] },
    { name: 'waymark middleware', program: contestantFile('waymark-middleware.ts'), args: [] },
    { name: 'waymark app.use', program: contestantFile('waymark.ts'), args: ['use'] },
  ];
}
