/** Reads a port from a variable or an argument: digits only, since `Number` reads `1e3` and `0x10` too; else `NaN`. */
export function toPort(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** Whether a number is one that can be listened on; 0 takes one that is free. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65_535;
}
