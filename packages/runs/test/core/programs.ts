/** What code came to: below zero, a failure. */
export type Result = number;

/** A human said no, or a call before it in the same turn was declined. */
export const declined: Result = -1;

/** One step that code asks for. */
export interface Leaf {
  /**
   * `safe`: asks something, and may be given up. All others act. `call`: may be repeated. `sql`: its effect is stored with its
   * result. `once`: must not be repeated. `gated`: once, after a human said yes. `run`: another run. `value`: is there at once.
   */
  readonly kind: 'safe' | 'call' | 'sql' | 'once' | 'gated' | 'run' | 'value';
  /** Of a run. */
  readonly body: Program;
}

/** Code as data: what a person could write with promises and branches. */
export type Program =
  | { readonly do: 'call'; readonly leaf: Leaf }
  | { readonly do: 'value' | 'nothing' }
  | { readonly do: 'series' | 'all' | 'race' | 'gather' | 'turn'; readonly parts: readonly Program[] }
  /** Goes on by what a step gave. */
  | { readonly do: 'branch'; readonly on: Program; readonly yes: Program; readonly no: Program }
  | { readonly do: 'try'; readonly body: Program; readonly rescue: Program }
  | { readonly do: 'float'; readonly body: Program }
  | { readonly do: 'hops'; readonly count: number; readonly next: Program };

/** What code works with. `after`: the step before it in its turn. */
export interface Scope<Op> {
  call(leaf: Leaf, done: (result: Result) => void, after?: Op): Op;
  value(): Result;
  /** Goes on when promises that have settled meanwhile were heard of. */
  hop(next: () => void): void;
}

const nothing: Program = { do: 'nothing' };
const kinds = ['safe', 'call', 'sql', 'once', 'gated'] as const;
const groups = ['series', 'series', 'all', 'race', 'gather', 'turn'] as const;

/** A program of up to `size` steps. */
export function randomProgram(random: () => number, size: number, depth = 0): Program {
  if (size <= 1) return random() < 0.25 ? { do: 'value' } : randomCall(random, 0, depth);
  const half = (): Program => randomProgram(random, size >> 1, depth);
  const kind = random();
  if (kind < 0.1) return { do: 'hops', count: 1 + Math.floor(random() * 4), next: half() };
  if (kind < 0.55) {
    const count = 2 + Math.floor(random() * 2);
    const group = pick(random, groups);
    const parts = Array.from({ length: count }, () =>
      group === 'turn'
        ? randomCall(random, 0, depth)
        : randomProgram(random, Math.floor(size / count), depth),
    );
    return { do: group, parts };
  }
  if (kind < 0.7) return randomCall(random, size - 1, depth);
  if (kind < 0.8) return { do: 'branch', on: randomCall(random, 0, depth), yes: half(), no: half() };
  if (kind < 0.9) return { do: 'try', body: half(), rescue: half() };
  return { do: 'float', body: half() };
}

function randomCall(random: () => number, below: number, depth: number): Program {
  if (below > 0 && depth < 3)
    return { do: 'call', leaf: { kind: 'run', body: randomProgram(random, below, depth + 1) } };
  return { do: 'call', leaf: { kind: pick(random, kinds), body: nothing } };
}

function pick<T>(random: () => number, from: readonly T[]): T {
  // An index below the length.
  return from[Math.floor(random() * from.length)] as T;
}

/** Runs it as code would that uses promises; all that follows one delivery happens within it. */
export function perform<Op>(scope: Scope<Op>, program: Program, done: (result: Result) => void): void {
  switch (program.do) {
    case 'call':
      scope.call(program.leaf, done);
      break;
    case 'value':
      done(scope.value());
      break;
    case 'nothing':
      done(0);
      break;
    case 'series':
      performSeries(scope, program.parts, 0, done);
      break;
    case 'turn':
      performTurn(scope, program.parts, done);
      break;
    case 'all':
    case 'race':
    case 'gather':
      performGroup(scope, program.do, program.parts, done);
      break;
    case 'branch':
      perform(scope, program.on, (result) =>
        perform(scope, result % 2 === 0 ? program.yes : program.no, done),
      );
      break;
    case 'try':
      perform(scope, program.body, (result) =>
        result < 0 ? perform(scope, program.rescue, done) : done(result),
      );
      break;
    case 'float':
      perform(scope, program.body, () => {});
      done(0);
      break;
    case 'hops':
      performHops(scope, program.count, () => perform(scope, program.next, done));
  }
}

function performHops<Op>(scope: Scope<Op>, count: number, next: () => void): void {
  if (count === 0) next();
  else scope.hop(() => performHops(scope, count - 1, next));
}

function performSeries<Op>(
  scope: Scope<Op>,
  parts: readonly Program[],
  at: number,
  done: (result: Result) => void,
): void {
  const part = parts[at];
  if (!part) done(at);
  else
    perform(scope, part, (result) => (result < 0 ? done(result) : performSeries(scope, parts, at + 1, done)));
}

function performGroup<Op>(
  scope: Scope<Op>,
  how: 'all' | 'race' | 'gather',
  parts: readonly Program[],
  done: (result: Result) => void,
): void {
  let left = parts.length;
  const settled = (result: Result): void => {
    left--;
    if (how === 'race' || left === 0 || (how === 'all' && result < 0)) {
      // It settles once.
      left = Number.NaN;
      done(result);
    }
  };
  for (const part of parts)
    perform(scope, part, (result) => (Number.isNaN(left) ? undefined : settled(result)));
}

/** All calls of one turn of a model: begun in order, humans asked together. */
function performTurn<Op>(scope: Scope<Op>, parts: readonly Program[], done: (result: Result) => void): void {
  let left = parts.length;
  let before: Op | undefined;
  for (const part of parts)
    if (part.do === 'call')
      before = scope.call(
        part.leaf,
        () => {
          left--;
          if (left === 0) done(0);
        },
        before,
      );
}
