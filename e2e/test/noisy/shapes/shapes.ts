import { bodyShapes, patternShapes } from './bodies.ts';
import { followShapes, mcpShapes, runShapes } from './callers.ts';
import { headShapes, lineShapes, queryShapes } from './heads.ts';
import type { Shape } from './shape.ts';
import { socketShapes } from './sockets.ts';

/** Shapes by the doors they fit: `heads` fit any, `lines` need none. */
export const shapes = {
  bodies: bodyShapes,
  patterns: patternShapes,
  queries: queryShapes,
  heads: headShapes,
  lines: lineShapes,
  sockets: socketShapes,
  mcp: mcpShapes,
  runs: runShapes,
  follows: followShapes,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Shape>>>>;

/** The doors that a shape is for. */
export type Fit = keyof typeof shapes;

/** What an attack does whose `shape` is so called. @throws {Error} when there is none */
export function shapesOf(name: string): readonly Shape[] {
  const [fits = '', shape] = name.split('/');
  const found = fits.split('+').flatMap((fit) => Object.entries<Shape>(shapes[fit as Fit]));
  const chosen = found.filter(([key]) => shape === 'all' || key === shape).map(([, one]) => one);
  if (chosen.length === 0) throw new Error(`no shape ${name}`);
  return chosen;
}
