/** What a benchmark promises, and what it measured. */
export interface Goal {
  /** kebab-case, stable over time. */
  readonly name: string;
  readonly measured: number;
  readonly op: '<=' | '>=';
  readonly target: number;
  /** Ratios have none. */
  readonly unit?: string;
}

/** Whether a measurement is as good as promised; NaN never is. */
export function isMet({ measured, op, target }: Goal): boolean {
  return op === '<=' ? measured <= target : measured >= target;
}

/** `goal route-overhead: 38.2 µs <= 50 µs met`. */
export function goalLine(goal: Goal): string {
  const { name, measured, op, target, unit } = goal;
  const suffix = unit === undefined ? '' : ` ${unit}`;
  // Three digits, but never so few that a miss looks like a hit.
  const shown = Math.abs(measured) >= 1000 ? Math.round(measured) : Number(measured.toPrecision(3));
  const text = isMet({ ...goal, measured: shown }) === isMet(goal) ? shown : measured;
  return `goal ${name}: ${text}${suffix} ${op} ${target}${suffix} ${isMet(goal) ? 'met' : 'missed'}`;
}

/** Prints a line for each goal; after all of them the process fails if one is missed. */
export function printGoals(goals: readonly Goal[]): void {
  for (const goal of goals) console.log(goalLine(goal));
  if (!goals.every(isMet)) process.exitCode = 1;
}
